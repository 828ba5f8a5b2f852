package secret

func (f *finder) address(i int) {}
func (f *finder) block(i int)   {}
func (f *finder) dots(i int)    {}
func (f *finder) middle(i int)  {}
