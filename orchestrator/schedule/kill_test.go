package schedule_test

const childEnv = "DEVFLOW_SCHEDULE_CHILD"

func child() int { return 0 }
