// Package land is the merge queue of a run: it takes accepted commits to the integration branch, and nothing that is red.
//
// All commits that wait are merged one after the other on the tip, with objects alone, and the result is tested once. When it is
// green the branch moves; when it is red the first commit that makes it red is found by bisection and returned with the output, and
// the others go on. A red is run again before anybody is blamed. Nothing is kept here that could disagree with git: which commits
// wait is asked of the ledger, which have landed of the branch, so a queue that dies anywhere is simply started again.
//
// It owns no table and no file; it knows no worker and no judge.
package land
