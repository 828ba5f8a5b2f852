// Package judge decides whether the work of a task is what it claims to be.
//
// It looks at the difference between the task's base tree and the work tree of now, at the signals that hooks raised, and
// at the last test run, and comes to one of five outcomes. The outcome is computed here from reasons; nothing that a
// model says is ever taken for an outcome.
//
// The package owns table judge_runs and the files judge-result.json, post-mortem.md, pending_reviews/ and worker.lock
// in a session's state folder. What follows for the task (attempts, halt, code) is kept by telemetry/breaker; what is
// said and whether a turn may end is decided here by [Route] and printed by the callers.
//
// # Seam
//
// Evidence comes from the Examiners in Deps, which the main puts together. judge/evidence has the first: deterministic, no
// process, no model. The full judge adds more of them there (the structural rules, a model that answers questions about
// single findings, the workers Sec, QA and Doc). An Examiner returns Reasons, never an outcome: leaves of a model's reply become
// soft reasons, or hard ones where the quoted line is really in the diff. An Examiner that fails makes the case
// "could not judge", unless something hard stands anyway; one that must fail closed returns its own hard reason instead
// of an error. [Fold] is the only place where reasons become an outcome.
//
// # Fail direction
//
// Without a repository, a base tree or git there is no verdict: judge_error, said once, never a pass and never an
// attempt. A store that cannot be read is the one closed case: Boundary then answers fail with
// "[sec] swarm-reports-unavailable", which blocks pushes but never the end of a turn, because it cannot be counted.
// The same reason from the worker Sec fails a task of high risk. While nothing else does, it blocks no turn and is no
// attempt either: it is said once, and the next end of a turn looks again.
package judge
