// Package act lists the functions of the languages' libraries that touch files, start programs or give paths, and what each does. It
// owns no table and no file.
package act

import "github.com/devflow-suite/devflow/guard/code/effect"

// Act is what a known function does.
type Act uint8

const (
	_          Act = iota
	Passes0        // returns its first argument
	Passes1        // returns its second argument, mapped or filtered
	Runs           // a command line or an argument list
	RunsInput      // the same, and gives back a process that can be written to
	Spawns         // a program and its arguments, as a list or one by one
	Execs          // a program, then its argv with the name again
	SpawnsMode     // a mode first, then as execs
	Removes        // files
	RemovesBy      // files; folders with the option recursive
	RemovesAll     // trees
	RemovesOld     // PHP's and Perl's rmdir, Python's os.rmdir: an empty folder
	Writes         // the file that the first argument names
	Appends        //
	Writes1        // the file that the second argument names
	Opens          // a file with a mode
	Copies         // first to second
	Moves          //
	Links          //
	Chmods         // path, mode
	ChmodsLast     // mode, paths
	Chowns         //
	Truncates      //
	Kills          //
	Joins          // path elements
	Strips         // parent folder of a path
	Homes          // the home folder
	Heres          // the working folder
	Temps          // a new temporary file or folder
	Globs          // names by pattern
	Lists          // names of a folder
	Walks          // every folder below
	Goes           // changes the working folder
	Evaluates      // its first argument is code of the same language
	Imports        // a module by name
	Attributes     // an attribute by name
	Globals        // all names
	Reads          // the content of a file
	Calls          // the function given first, with the rest
	Maps           // the function given first, on each element of the second
	Threads        // target=, args=
	Gets           // from the environment
	Connects       // to a database file
	Servers        // to a database server
	Shifts         // Perl's shift
	Asks           // runs or deletes something that is not known
	Which          // finds a program by name
	WalksDir       // Perl's find(sub, dirs)
)

// Of looks a canonical name up. Sources: the reference manuals of Python 3.14, Node 24, Perl 5.42, Ruby 3.4, PHP 8.4, gawk 5.3, Lua
// 5.4 and R 4.5.
func Of(lang effect.Lang, name string) Act {
	if name == Hidden {
		return Asks
	}
	switch lang {
	case effect.Python:
		return pythonAct(name)
	case effect.Node:
		return nodeAct(name)
	case effect.Perl:
		return perlAct(name)
	case effect.Ruby:
		return rubyAct(name)
	case effect.PHP:
		return phpAct(name)
	case effect.Awk:
		if name == "system" {
			return Runs
		}
	case effect.Lua:
		return luaAct(name)
	case effect.R:
		return rAct(name)
	}
	return 0
}

func pythonAct(name string) Act {
	switch name {
	case "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "subprocess.run", "subprocess.call", "subprocess.check_call",
		"subprocess.check_output", "asyncio.create_subprocess_shell", "commands.getoutput", "commands.getstatusoutput", "os.popen2", "os.popen3", "popen2.popen2",
		"pty.spawn", "invoke.run", "invoke.sudo", "fabric.run", "fabric.local", "plumbum.local", "pexpect.run", "pexpect.spawn", "os.startfile":
		return Runs
	case "subprocess.Popen":
		return RunsInput
	case "asyncio.create_subprocess_exec", "os.posix_spawn", "os.posix_spawnp":
		return Spawns
	case "os.execl", "os.execlp", "os.execle", "os.execlpe", "os.execv", "os.execvp", "os.execve", "os.execvpe":
		return Execs
	case "os.spawnl", "os.spawnlp", "os.spawnle", "os.spawnlpe", "os.spawnv", "os.spawnvp", "os.spawnve", "os.spawnvpe":
		return SpawnsMode
	case "os.remove", "os.unlink", "aiofiles.os.remove", "send2trash.send2trash":
		return Removes
	case "shutil.rmtree", "distutils.dir_util.remove_tree", "setuptools.distutils.dir_util.remove_tree", "aioshutil.rmtree", "tree.rmtree":
		return RemovesAll
	case "os.rmdir", "os.removedirs":
		return RemovesOld
	case "open", "io.open", "codecs.open", "os.fdopen", "gzip.open", "bz2.open", "lzma.open", "aiofiles.open", "tarfile.open", "zipfile.ZipFile", "os.open", "io.FileIO", "tokenize.open":
		return Opens
	case "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree":
		return Copies
	case "shutil.move", "os.rename", "os.replace", "os.renames":
		return Moves
	case "os.symlink", "os.link":
		return Links
	case "os.chmod", "os.lchmod":
		return Chmods
	case "os.chown", "shutil.chown", "os.lchown":
		return Chowns
	case "os.truncate":
		return Truncates
	case "os.mknod", "os.mkfifo":
		return Writes
	case "urllib.request.urlretrieve", "numpy.save", "np.save", "wget.download", "numpy.savetxt", "np.savetxt":
		if name[0] == 'n' {
			return Writes
		}
		return Writes1
	case "os.kill", "os.killpg":
		return Kills
	case "os.path.join", "os.sep.join":
		return Joins
	case "os.path.dirname":
		return Strips
	case "Path.home":
		return Homes
	case "os.getcwd", "Path.cwd", "os.getcwdb":
		return Heres
	case "tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.mktemp", "tempfile.gettempdir", "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory":
		return Temps
	case "glob.glob", "glob.iglob":
		return Globs
	case "os.listdir", "os.scandir":
		return Lists
	case "os.walk", "os.fwalk":
		return Walks
	case "os.chdir", "contextlib.chdir", "os.chroot":
		return Goes
	case "exec", "eval", "runpy.run_path", "code.interact":
		return Evaluates
	case "__import__", "importlib.import_module", "importlib.__import__":
		return Imports
	case "getattr", "operator.attrgetter", "object.__getattribute__":
		return Attributes
	case "globals", "locals", "vars":
		return Globals
	case "map", "filter":
		return Maps
	case "threading.Thread", "multiprocessing.Process", "threading.Timer":
		return Threads
	case "functools.partial", "partial", "atexit.register", "asyncio.to_thread":
		return Calls
	case "os.getenv", "os.environ.get", "os.environ.setdefault":
		return Gets
	case "sqlite3.connect", "aiosqlite.connect", "duckdb.connect":
		return Connects
	case "psycopg2.connect", "psycopg.connect", "pymysql.connect", "MySQLdb.connect", "mysql.connector.connect", "asyncpg.connect", "sqlalchemy.create_engine", "create_engine":
		return Servers
	case "shutil.which":
		return Which
	case "os.path.expanduser", "os.path.expandvars", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "os.fsencode", "os.fsdecode", "str", "bytes",
		"sorted", "list", "tuple", "set", "reversed", "iter", "enumerate", "repr", "compile", "os.path.normcase", "textwrap.dedent", "shlex.quote", "shlex.split", "frozenset",
		"asyncio.run", "next", "tqdm", "tqdm.tqdm", "bytearray", "asyncio.gather", "print_and_return", "contextlib.closing", "closing", "text", "sqlalchemy.text", "unicode", "cast":
		return Passes0
	case "typing.cast":
		return Passes1
	case "Path", "os.path":
		return Passes0
	}
	return 0
}

func luaAct(name string) Act {
	switch name {
	case "os.execute", "io.popen":
		return Runs
	case "os.remove", "lfs.rmdir":
		return Removes
	case "os.rename":
		return Moves
	case "io.open", "io.output":
		return Opens
	case "load", "loadstring", "dostring":
		return Evaluates
	case "require":
		return Imports
	case "os.getenv":
		return Gets
	case "os.tmpname":
		return Temps
	case "ipairs", "pairs", "tostring", "assert":
		return Passes0
	case "pcall":
		return Calls
	}
	return 0
}

func rAct(name string) Act {
	switch name {
	case "system", "shell", "pipe":
		return Runs
	case "system2", "processx.run":
		return Spawns
	case "unlink":
		return RemovesBy
	case "file.remove", "fs.file_delete":
		return Removes
	case "fs.dir_delete":
		return RemovesAll
	case "file.rename":
		return Moves
	case "file.copy":
		return Copies
	case "writeLines", "write.csv", "write.table", "saveRDS", "write", "dput", "writeBin", "readr.write_csv", "write_csv", "fwrite", "write_json", "ggsave":
		if name == "ggsave" {
			return Writes
		}
		return Writes1
	case "file.create", "sink", "pdf", "png", "svg":
		return Writes
	case "file":
		return Opens
	case "file.path":
		return Joins
	case "list.files", "dir":
		return Lists
	case "Sys.glob":
		return Globs
	case "Sys.chmod":
		return Chmods
	case "setwd":
		return Goes
	case "getwd":
		return Heres
	case "tempfile", "tempdir":
		return Temps
	case "Sys.getenv":
		return Gets
	case "path.expand", "normalizePath", "c", "list", "invisible", "as.character", "parse", "unlist", "rev":
		return Passes0
	case "eval", "source":
		return Evaluates
	case "lapply", "sapply":
		return Maps
	case "do.call":
		return Calls
	}
	return 0
}

// Hidden is the canonical name of a function whose name is computed.
const Hidden = "?"
