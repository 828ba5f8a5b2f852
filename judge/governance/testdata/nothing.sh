#!/bin/sh
echo nothing
