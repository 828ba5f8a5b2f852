// Package flocksim simulates what a scheduler drives: workers that do a known piece of work in a known time and fail as they are told
// to, work trees in memory, and checks that know what the result must be.
//
// The effect of a task is exact: a file made of the task's name and of the files of the tasks that it depends on, and a line in the
// region's count of how often each task was done. So a result shows whether every dependency was visible, and whether anything was
// done twice. Time is that of package time, so a test under testing/synctest runs hours in milliseconds. For tests only.
package flocksim
