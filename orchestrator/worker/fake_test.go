package worker_test

func play(string) int { return 0 }
