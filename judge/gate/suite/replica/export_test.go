package replica

// Entries reads a listing of git.
func Entries(list []byte) (files []string, modules map[string]string) { return entries(list) }

// Folders lists the folders of files.
func Folders(files []string) []string { return folders(files) }
