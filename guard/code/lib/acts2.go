package lib

import "strings"

func nodeAct(name string) act {
	fn, ok := strings.CutPrefix(name, "fs.")
	if ok || strings.HasPrefix(name, "Deno.") {
		return nodeFile(strings.TrimPrefix(strings.TrimSuffix(fn, "Sync"), "Deno."))
	}
	switch name {
	case "child_process.exec", "child_process.execSync", "shelljs.exec", "shell.exec", "execa.command", "execaCommand", "execa.commandSync", "execaCommandSync", "Bun.$", "$",
		"execa.execaCommand", "execa.execaCommandSync", "zx.$", "bun.$":
		return runs
	case "child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync", "execa", "execa.execa", "execa.sync", "execaSync",
		"execa.execaSync", "cross-spawn", "cross-spawn.sync", "Bun.spawn", "Bun.spawnSync", "bun.spawn", "bun.spawnSync", "node-pty.spawn", "tinyexec.x":
		return spawns
	case "rimraf", "rimraf.sync", "rimraf.rimraf", "rimraf.rimrafSync", "rimrafSync", "del", "del.sync", "del.deleteAsync", "del.deleteSync", "deleteAsync", "deleteSync", "trash":
		return removesAll
	case "shelljs.rm":
		return asks
	case "Bun.write", "bun.write":
		return writes
	case "shelljs.cp":
		return copies
	case "shelljs.mv":
		return moves
	case "process.kill":
		return kills
	case "path.join", "path.resolve":
		return joins
	case "path.dirname":
		return strips
	case "os.homedir":
		return homes
	case "process.cwd", "Deno.cwd":
		return heres
	case "os.tmpdir", "tmp.dirSync", "tmp.fileSync":
		return temps
	case "glob", "glob.sync", "glob.globSync", "glob.glob", "fast-glob", "fast-glob.sync", "globby", "globby.sync", "globby.globby", "globby.globbySync", "globSync":
		return globs
	case "process.chdir", "Deno.chdir", "shelljs.cd":
		return goes
	case "eval", "Function", "vm.runInNewContext", "vm.runInThisContext", "vm.runInContext", "vm.Script", "AsyncFunction":
		return evaluates
	case "require", "import", "process.getBuiltinModule", "createRequire", "process.binding":
		return imports
	case "Reflect.get":
		return attributes
	case "Reflect.apply", "setTimeout", "setImmediate", "setInterval", "queueMicrotask":
		return calls
	case "better-sqlite3", "bun:sqlite.Database", "sqlite.DatabaseSync", "sqlite3.Database", "Database", "DatabaseSync", "sqlite.open":
		return connects
	case "pg.Client", "pg.Pool", "mysql2.createConnection", "mysql.createConnection", "mysql2.createPool":
		return servers
	case "util.promisify", "path.normalize", "String", "Promise.all", "Promise.resolve", "Array.from", "Object.keys", "Object.values", "Object.entries", "Promise.allSettled",
		"url.fileURLToPath", "fileURLToPath", "Boolean", "path.basename", "URL", "pathToFileURL", "String.raw", "Set", "Array":
		return passes0
	case "Deno.env.get":
		return gets
	}
	return 0
}

// nodeFile is for functions of fs and Deno, without Sync.
func nodeFile(fn string) act {
	switch fn {
	case "rm", "rmdir", "Deno.remove", "remove":
		return removesBy
	case "unlink":
		return removes
	case "emptyDir", "emptydir":
		return removesAll
	case "writeFile", "createWriteStream", "writeTextFile", "outputFile", "writeJson", "writeJSON", "outputJson", "create", "createFile", "ensureFile":
		return writes
	case "appendFile":
		return appends
	case "open":
		return opens
	case "copyFile", "cp", "copy":
		return copies
	case "rename", "move":
		return moves
	case "symlink", "link":
		return links
	case "chmod", "lchmod":
		return chmods
	case "chown", "lchown":
		return chowns
	case "truncate":
		return truncates
	case "readdir", "readDir", "opendir":
		return lists
	case "glob":
		return globs
	case "mkdtemp", "makeTempDir", "makeTempFile":
		return temps
	case "realpath", "realpath.native":
		return passes0
	case "Command", "run":
		return spawns
	case "chdir":
		return goes
	case "cwd":
		return heres
	case "readFile", "readTextFile":
		return reads
	case "env.get":
		return gets
	}
	return 0
}

func rubyAct(name string) act {
	name = strings.TrimPrefix(name, "FileUtils.")
	switch name {
	case "system", "exec", "spawn", "Process.spawn", "IO.popen", "Open3.capture2", "Open3.capture2e", "Open3.capture3", "Open3.popen3", "Open3.popen2", "Open3.popen2e",
		"PTY.spawn", "PTY.getpty", "Process.exec", "sh", "Open3.pipeline", "`":
		return runs
	case "File.delete", "File.unlink", "rm", "rm_f", "remove", "safe_unlink", "remove_file", "Dir.delete", "Dir.unlink", "Dir.rmdir", "rmdir":
		if strings.HasPrefix(name, "Dir.") || name == "rmdir" {
			return removesOld
		}
		return removes
	case "rm_r", "rm_rf", "rmtree", "remove_dir", "remove_entry", "remove_entry_secure":
		return removesAll
	case "File.write", "IO.write", "File.binwrite", "IO.binwrite", "touch":
		return writes
	case "File.open", "File.new", "open", "CSV.open", "IO.sysopen", "Zlib.GzipWriter.open":
		return opens
	case "cp", "copy", "cp_r", "copy_file", "copy_entry", "install", "IO.copy_stream":
		return copies
	case "mv", "move", "File.rename":
		return moves
	case "ln", "ln_s", "ln_sf", "symlink", "File.symlink", "File.link", "link":
		return links
	case "chmod", "chmod_R", "File.chmod":
		return chmodsLast
	case "chown", "chown_R":
		return chowns
	case "File.truncate":
		return truncates
	case "Process.kill":
		return kills
	case "File.join":
		return joins
	case "File.dirname":
		return strips
	case "Dir.home":
		return homes
	case "Dir.pwd", "Dir.getwd", "pwd":
		return heres
	case "Dir.mktmpdir", "Dir.tmpdir", "Tempfile.new", "Tempfile.create":
		return temps
	case "Dir.glob":
		return globs
	case "Dir.children", "Dir.entries", "Dir.each_child", "Dir.foreach":
		return lists
	case "Find.find":
		return walks
	case "Dir.chdir", "cd", "chdir":
		return goes
	case "eval", "instance_eval", "class_eval", "binding.eval", "ObjectSpace.eval", "load", "RubyVM.InstructionSequence.compile", "TOPLEVEL_BINDING.eval":
		if name == "load" {
			return 0
		}
		return evaluates
	case "send", "public_send", "__send__", "Object.send", "FileUtils.send", "File.send", "method":
		return calls
	case "const_get", "Object.const_get":
		return imports
	case "SQLite3.Database.new", "SQLite3.Database.open":
		return connects
	case "PG.connect", "Mysql2.Client.new":
		return servers
	case "ENV.fetch", "ENV.dig":
		return gets
	case "File.expand_path", "File.absolute_path", "File.realpath", "Pathname", "Pathname.new", "Array", "String", "Shellwords.escape", "Shellwords.split", "File.path", "Pathname.glob":
		if name == "Pathname.glob" {
			return globs
		}
		return passes0
	case "File.read", "IO.read":
		return reads
	}
	return 0
}

func perlAct(name string) act {
	switch name {
	case "system", "exec", "qx", "IPC.System.Simple.run", "capture", "readpipe", "runx", "IPC.Run.run", "IPC.Open3.open3":
		return runs
	case "unlink":
		return removes
	case "rmtree", "remove_tree", "pathrmdir", "fcopy.pathrm":
		return removesAll
	case "rmdir":
		return removesOld
	case "open", "sysopen", "IO.File.new":
		return opens
	case "copy", "cp", "fcopy", "dircopy":
		return copies
	case "move", "mv", "rename":
		return moves
	case "symlink", "link":
		return links
	case "chmod":
		return chmodsLast
	case "chown":
		return chowns
	case "truncate":
		return truncates
	case "kill":
		return kills
	case "glob", "bsd_glob":
		return globs
	case "catfile", "catdir", "File.Spec.catfile", "File.Spec.catdir":
		return joins
	case "dirname":
		return strips
	case "cwd", "getcwd", "Cwd.cwd", "Cwd.getcwd":
		return heres
	case "tempdir", "tempfile", "File.Temp.tempdir":
		return temps
	case "chdir":
		return goes
	case "eval":
		return evaluates
	case "shift":
		return shifts
	case "find", "finddepth", "File.Find.find":
		return walksDir
	case "path", "Path.Tiny.path", "reverse", "sort", "abs_path", "Cwd.abs_path", "grep", "File.Path", "scalar", "join_path", "file", "dir":
		return passes0
	case "write_file", "spew":
		return writes
	case "append_file":
		return appends
	case "DBI.connect":
		return servers
	}
	return 0
}

func phpAct(name string) act {
	switch name {
	case "exec", "shell_exec", "system", "passthru", "popen", "proc_open":
		return runs
	case "pcntl_exec":
		return spawns
	case "unlink":
		return removes
	case "rmdir":
		return removesOld
	case "file_put_contents", "touch":
		return writes
	case "fopen", "splfileobject", "gzopen":
		return opens
	case "copy", "move_uploaded_file":
		return copies
	case "rename":
		return moves
	case "symlink", "link":
		return links
	case "chmod":
		return chmods
	case "chown", "chgrp":
		return chowns
	case "posix_kill":
		return kills
	case "dirname":
		return strips
	case "getcwd":
		return heres
	case "tempnam", "sys_get_temp_dir", "tmpfile":
		return temps
	case "glob":
		return globs
	case "scandir":
		return lists
	case "chdir":
		return goes
	case "eval", "assert", "create_function":
		return evaluates
	case "call_user_func", "call_user_func_array", "register_shutdown_function":
		return calls
	case "array_map", "array_walk":
		return maps
	case "getenv":
		return gets
	case "realpath", "array_filter", "array_reverse", "escapeshellarg", "escapeshellcmd", "array_values":
		return passes0
	case "file_get_contents":
		return reads
	case "sqlite3":
		return connects
	case "pdo", "mysqli", "mysqli_connect", "pg_connect":
		return servers
	}
	return 0
}
