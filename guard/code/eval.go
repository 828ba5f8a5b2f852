package code

func read(lang Lang, src string, argv []string) Effects { return Effects{} }
