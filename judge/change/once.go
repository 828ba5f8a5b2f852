package change

// Once gives what make returned for the key: what several rules need is made by the first that asks. Keys are values of
// unexported types, so that packages cannot meet.
func (c *Change) Once(key any, make func() any) any {
	if v, ok := c.made[key]; ok {
		return v
	}
	v := make()
	if c.made == nil {
		c.made = map[any]any{}
	}
	c.made[key] = v
	return v
}
