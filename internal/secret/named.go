package secret

func (f *finder) named(i int) {}
