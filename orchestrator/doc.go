// Package orchestrator is the domain of devflock: a run splits a project in regions, gives each region to one worker, and takes
// tasks from pending to integrated. It holds the words (Plan, Region, Task, Attempt, Run) and their durable rows.
//
// It owns the tables runs, regions, region_tasks and attempts; every arrow of a task's life is one transaction here, and an attempt
// is fenced: what a late one says is refused. It starts nothing, talks to nobody and does not know the judge: the packages below
// orchestrator/ do the work (gateway, worker, trees, schedule, runner), and mains plug in who judges.
package orchestrator
