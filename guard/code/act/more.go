package act

import "strings"

func nodeAct(name string) Act {
	fn, ok := strings.CutPrefix(name, "fs.")
	if ok || strings.HasPrefix(name, "Deno.") {
		return nodeFile(strings.TrimPrefix(strings.TrimSuffix(fn, "Sync"), "Deno."))
	}
	switch name {
	case "child_process.exec", "child_process.execSync", "shelljs.exec", "shell.exec", "execa.command", "execaCommand", "execa.commandSync", "execaCommandSync", "Bun.$", "$",
		"execa.execaCommand", "execa.execaCommandSync", "zx.$", "bun.$":
		return Runs
	case "child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync", "execa", "execa.execa", "execa.sync", "execaSync",
		"execa.execaSync", "cross-spawn", "cross-spawn.sync", "Bun.spawn", "Bun.spawnSync", "bun.spawn", "bun.spawnSync", "node-pty.spawn", "tinyexec.x":
		return Spawns
	case "rimraf", "rimraf.sync", "rimraf.rimraf", "rimraf.rimrafSync", "rimrafSync", "del", "del.sync", "del.deleteAsync", "del.deleteSync", "deleteAsync", "deleteSync", "trash":
		return RemovesAll
	case "shelljs.rm":
		return Asks
	case "Bun.write", "bun.write":
		return Writes
	case "shelljs.cp":
		return Copies
	case "shelljs.mv":
		return Moves
	case "process.kill":
		return Kills
	case "path.join", "path.resolve":
		return Joins
	case "path.dirname":
		return Strips
	case "os.homedir":
		return Homes
	case "process.cwd", "Deno.cwd":
		return Heres
	case "os.tmpdir", "tmp.dirSync", "tmp.fileSync":
		return Temps
	case "glob", "glob.sync", "glob.globSync", "glob.glob", "fast-glob", "fast-glob.sync", "globby", "globby.sync", "globby.globby", "globby.globbySync", "globSync":
		return Globs
	case "process.chdir", "Deno.chdir", "shelljs.cd":
		return Goes
	case "eval", "Function", "vm.runInNewContext", "vm.runInThisContext", "vm.runInContext", "vm.Script", "AsyncFunction":
		return Evaluates
	case "require", "import", "process.getBuiltinModule", "createRequire", "process.binding":
		return Imports
	case "Reflect.get":
		return Attributes
	case "Reflect.apply", "setTimeout", "setImmediate", "setInterval", "queueMicrotask":
		return Calls
	case "better-sqlite3", "bun:sqlite.Database", "sqlite.DatabaseSync", "sqlite3.Database", "Database", "DatabaseSync", "sqlite.open":
		return Connects
	case "pg.Client", "pg.Pool", "mysql2.createConnection", "mysql.createConnection", "mysql2.createPool":
		return Servers
	case "util.promisify", "path.normalize", "String", "Promise.all", "Promise.resolve", "Array.from", "Object.keys", "Object.values", "Object.entries", "Promise.allSettled",
		"url.fileURLToPath", "fileURLToPath", "Boolean", "path.basename", "URL", "pathToFileURL", "String.raw", "Set", "Array":
		return Passes0
	case "Deno.env.get":
		return Gets
	}
	return 0
}

// nodeFile is for functions of fs and Deno, without Sync.
func nodeFile(fn string) Act {
	switch fn {
	case "rm", "rmdir", "Deno.remove", "remove":
		return RemovesBy
	case "unlink":
		return Removes
	case "emptyDir", "emptydir":
		return RemovesAll
	case "writeFile", "createWriteStream", "writeTextFile", "outputFile", "writeJson", "writeJSON", "outputJson", "create", "createFile", "ensureFile":
		return Writes
	case "appendFile":
		return Appends
	case "open":
		return Opens
	case "copyFile", "cp", "copy":
		return Copies
	case "rename", "move":
		return Moves
	case "symlink", "link":
		return Links
	case "chmod", "lchmod":
		return Chmods
	case "chown", "lchown":
		return Chowns
	case "truncate":
		return Truncates
	case "readdir", "readDir", "opendir":
		return Lists
	case "glob":
		return Globs
	case "mkdtemp", "makeTempDir", "makeTempFile":
		return Temps
	case "realpath", "realpath.native":
		return Passes0
	case "Command", "run":
		return Spawns
	case "chdir":
		return Goes
	case "cwd":
		return Heres
	case "readFile", "readTextFile":
		return Reads
	case "env.get":
		return Gets
	}
	return 0
}

func rubyAct(name string) Act {
	name = strings.TrimPrefix(name, "FileUtils.")
	switch name {
	case "system", "exec", "spawn", "Process.spawn", "IO.popen", "Open3.capture2", "Open3.capture2e", "Open3.capture3", "Open3.popen3", "Open3.popen2", "Open3.popen2e",
		"PTY.spawn", "PTY.getpty", "Process.exec", "sh", "Open3.pipeline", "`":
		return Runs
	case "File.delete", "File.unlink", "rm", "rm_f", "remove", "safe_unlink", "remove_file", "Dir.delete", "Dir.unlink", "Dir.rmdir", "rmdir":
		if strings.HasPrefix(name, "Dir.") || name == "rmdir" {
			return RemovesOld
		}
		return Removes
	case "rm_r", "rm_rf", "rmtree", "remove_dir", "remove_entry", "remove_entry_secure":
		return RemovesAll
	case "File.write", "IO.write", "File.binwrite", "IO.binwrite", "touch":
		return Writes
	case "File.open", "File.new", "open", "CSV.open", "IO.sysopen", "Zlib.GzipWriter.open":
		return Opens
	case "cp", "copy", "cp_r", "copy_file", "copy_entry", "install", "IO.copy_stream":
		return Copies
	case "mv", "move", "File.rename":
		return Moves
	case "ln", "ln_s", "ln_sf", "symlink", "File.symlink", "File.link", "link":
		return Links
	case "chmod", "chmod_R", "File.chmod":
		return ChmodsLast
	case "chown", "chown_R":
		return Chowns
	case "File.truncate":
		return Truncates
	case "Process.kill":
		return Kills
	case "File.join":
		return Joins
	case "File.dirname":
		return Strips
	case "Dir.home":
		return Homes
	case "Dir.pwd", "Dir.getwd", "pwd":
		return Heres
	case "Dir.mktmpdir", "Dir.tmpdir", "Tempfile.new", "Tempfile.create":
		return Temps
	case "Dir.glob":
		return Globs
	case "Dir.children", "Dir.entries", "Dir.each_child", "Dir.foreach":
		return Lists
	case "Find.find":
		return Walks
	case "Dir.chdir", "cd", "chdir":
		return Goes
	case "eval", "instance_eval", "class_eval", "binding.eval", "ObjectSpace.eval", "load", "RubyVM.InstructionSequence.compile", "TOPLEVEL_BINDING.eval":
		if name == "load" {
			return 0
		}
		return Evaluates
	case "send", "public_send", "__send__", "Object.send", "FileUtils.send", "File.send", "method":
		return Calls
	case "const_get", "Object.const_get":
		return Imports
	case "SQLite3.Database.new", "SQLite3.Database.open":
		return Connects
	case "PG.connect", "Mysql2.Client.new":
		return Servers
	case "ENV.fetch", "ENV.dig":
		return Gets
	case "File.expand_path", "File.absolute_path", "File.realpath", "Pathname", "Pathname.new", "Array", "String", "Shellwords.escape", "Shellwords.split", "File.path", "Pathname.glob":
		if name == "Pathname.glob" {
			return Globs
		}
		return Passes0
	case "File.read", "IO.read":
		return Reads
	}
	return 0
}

func perlAct(name string) Act {
	switch name {
	case "system", "exec", "qx", "IPC.System.Simple.run", "capture", "readpipe", "runx", "IPC.Run.run", "IPC.Open3.open3":
		return Runs
	case "unlink":
		return Removes
	case "rmtree", "remove_tree", "pathrmdir", "fcopy.pathrm":
		return RemovesAll
	case "rmdir":
		return RemovesOld
	case "open", "sysopen", "IO.File.new":
		return Opens
	case "copy", "cp", "fcopy", "dircopy":
		return Copies
	case "move", "mv", "rename":
		return Moves
	case "symlink", "link":
		return Links
	case "chmod":
		return ChmodsLast
	case "chown":
		return Chowns
	case "truncate":
		return Truncates
	case "kill":
		return Kills
	case "glob", "bsd_glob":
		return Globs
	case "catfile", "catdir", "File.Spec.catfile", "File.Spec.catdir":
		return Joins
	case "dirname":
		return Strips
	case "cwd", "getcwd", "Cwd.cwd", "Cwd.getcwd":
		return Heres
	case "tempdir", "tempfile", "File.Temp.tempdir":
		return Temps
	case "chdir":
		return Goes
	case "eval":
		return Evaluates
	case "shift":
		return Shifts
	case "find", "finddepth", "File.Find.find":
		return WalksDir
	case "path", "Path.Tiny.path", "reverse", "sort", "abs_path", "Cwd.abs_path", "grep", "File.Path", "scalar", "join_path", "file", "dir":
		return Passes0
	case "write_file", "spew":
		return Writes
	case "append_file":
		return Appends
	case "DBI.connect":
		return Servers
	}
	return 0
}

func phpAct(name string) Act {
	switch name {
	case "exec", "shell_exec", "system", "passthru", "popen", "proc_open":
		return Runs
	case "pcntl_exec":
		return Spawns
	case "unlink":
		return Removes
	case "rmdir":
		return RemovesOld
	case "file_put_contents", "touch":
		return Writes
	case "fopen", "splfileobject", "gzopen":
		return Opens
	case "copy", "move_uploaded_file":
		return Copies
	case "rename":
		return Moves
	case "symlink", "link":
		return Links
	case "chmod":
		return Chmods
	case "chown", "chgrp":
		return Chowns
	case "posix_kill":
		return Kills
	case "dirname":
		return Strips
	case "getcwd":
		return Heres
	case "tempnam", "sys_get_temp_dir", "tmpfile":
		return Temps
	case "glob":
		return Globs
	case "scandir":
		return Lists
	case "chdir":
		return Goes
	case "eval", "assert", "create_function":
		return Evaluates
	case "call_user_func", "call_user_func_array", "register_shutdown_function":
		return Calls
	case "array_map", "array_walk":
		return Maps
	case "getenv":
		return Gets
	case "realpath", "array_filter", "array_reverse", "escapeshellarg", "escapeshellcmd", "array_values":
		return Passes0
	case "file_get_contents":
		return Reads
	case "sqlite3":
		return Connects
	case "pdo", "mysqli", "mysqli_connect", "pg_connect":
		return Servers
	}
	return 0
}
