package lib

import "github.com/devflow-suite/devflow/guard/code/effect"

// act is what a known function does.
type act uint8

const (
	_          act = iota
	passes0        // returns its first argument
	passes1        // returns its second argument, mapped or filtered
	runs           // a command line or an argument list
	runsInput      // the same, and gives back a process that can be written to
	spawns         // a program and its arguments, as a list or one by one
	execs          // a program, then its argv with the name again
	spawnsMode     // a mode first, then as execs
	removes        // files
	removesBy      // files; folders with the option recursive
	removesAll     // trees
	removesOld     // PHP's and Perl's rmdir, Python's os.rmdir: an empty folder
	writes         // the file that the first argument names
	appends        //
	writes1        // the file that the second argument names
	opens          // a file with a mode
	copies         // first to second
	moves          //
	links          //
	chmods         // path, mode
	chmodsLast     // mode, paths
	chowns         //
	truncates      //
	kills          //
	joins          // path elements
	strips         // parent folder of a path
	homes          // the home folder
	heres          // the working folder
	temps          // a new temporary file or folder
	globs          // names by pattern
	lists          // names of a folder
	walks          // every folder below
	goes           // changes the working folder
	evaluates      // its first argument is code of the same language
	imports        // a module by name
	attributes     // an attribute by name
	globals        // all names
	reads          // the content of a file
	calls          // the function given first, with the rest
	maps           // the function given first, on each element of the second
	threads        // target=, args=
	partials       //
	gets           // from the environment
	connects       // to a database file
	servers        // to a database server
	shifts         // Perl's shift
	asks           // runs or deletes something that is not known
	which          // finds a program by name
	bytesOf        // base64 or other decoding: unknown
	walksDir       // Perl's find(sub, dirs)
)

// ActOf looks a canonical name up. Sources: the reference manuals of Python 3.14, Node 24, Perl 5.42, Ruby 3.4, PHP 8.4, gawk 5.3, Lua
// 5.4 and R 4.5.
func ActOf(lang effect.Lang, name string) act {
	if name == hidden {
		return asks
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
			return runs
		}
	case effect.Lua:
		return luaAct(name)
	case effect.R:
		return rAct(name)
	}
	return 0
}

func pythonAct(name string) act {
	switch name {
	case "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "subprocess.run", "subprocess.call", "subprocess.check_call",
		"subprocess.check_output", "asyncio.create_subprocess_shell", "commands.getoutput", "commands.getstatusoutput", "os.popen2", "os.popen3", "popen2.popen2",
		"pty.spawn", "invoke.run", "invoke.sudo", "fabric.run", "fabric.local", "plumbum.local", "pexpect.run", "pexpect.spawn", "os.startfile":
		return runs
	case "subprocess.Popen":
		return runsInput
	case "asyncio.create_subprocess_exec", "os.posix_spawn", "os.posix_spawnp":
		return spawns
	case "os.execl", "os.execlp", "os.execle", "os.execlpe", "os.execv", "os.execvp", "os.execve", "os.execvpe":
		return execs
	case "os.spawnl", "os.spawnlp", "os.spawnle", "os.spawnlpe", "os.spawnv", "os.spawnvp", "os.spawnve", "os.spawnvpe":
		return spawnsMode
	case "os.remove", "os.unlink", "aiofiles.os.remove", "send2trash.send2trash":
		return removes
	case "shutil.rmtree", "distutils.dir_util.remove_tree", "setuptools.distutils.dir_util.remove_tree", "aioshutil.rmtree", "tree.rmtree":
		return removesAll
	case "os.rmdir", "os.removedirs":
		return removesOld
	case "open", "io.open", "codecs.open", "os.fdopen", "gzip.open", "bz2.open", "lzma.open", "aiofiles.open", "tarfile.open", "zipfile.ZipFile", "os.open", "io.FileIO", "tokenize.open":
		return opens
	case "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree":
		return copies
	case "shutil.move", "os.rename", "os.replace", "os.renames":
		return moves
	case "os.symlink", "os.link":
		return links
	case "os.chmod", "os.lchmod":
		return chmods
	case "os.chown", "shutil.chown", "os.lchown":
		return chowns
	case "os.truncate":
		return truncates
	case "os.mknod", "os.mkfifo":
		return writes
	case "urllib.request.urlretrieve", "numpy.save", "np.save", "wget.download", "numpy.savetxt", "np.savetxt":
		if name[0] == 'n' {
			return writes
		}
		return writes1
	case "os.kill", "os.killpg":
		return kills
	case "os.path.join", "os.sep.join":
		return joins
	case "os.path.dirname":
		return strips
	case "Path.home":
		return homes
	case "os.getcwd", "Path.cwd", "os.getcwdb":
		return heres
	case "tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.mktemp", "tempfile.gettempdir", "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory":
		return temps
	case "glob.glob", "glob.iglob":
		return globs
	case "os.listdir", "os.scandir":
		return lists
	case "os.walk", "os.fwalk":
		return walks
	case "os.chdir", "contextlib.chdir", "os.chroot":
		return goes
	case "exec", "eval", "runpy.run_path", "code.interact":
		return evaluates
	case "__import__", "importlib.import_module", "importlib.__import__":
		return imports
	case "getattr", "operator.attrgetter", "object.__getattribute__":
		return attributes
	case "globals", "locals", "vars":
		return globals
	case "map", "filter":
		return maps
	case "threading.Thread", "multiprocessing.Process", "threading.Timer":
		return threads
	case "functools.partial", "partial", "atexit.register", "asyncio.to_thread":
		return calls
	case "os.getenv", "os.environ.get", "os.environ.setdefault":
		return gets
	case "sqlite3.connect", "aiosqlite.connect", "duckdb.connect":
		return connects
	case "psycopg2.connect", "psycopg.connect", "pymysql.connect", "MySQLdb.connect", "mysql.connector.connect", "asyncpg.connect", "sqlalchemy.create_engine", "create_engine":
		return servers
	case "shutil.which":
		return which
	case "os.path.expanduser", "os.path.expandvars", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "os.fsencode", "os.fsdecode", "str", "bytes",
		"sorted", "list", "tuple", "set", "reversed", "iter", "enumerate", "repr", "compile", "os.path.normcase", "textwrap.dedent", "shlex.quote", "shlex.split", "frozenset",
		"asyncio.run", "next", "tqdm", "tqdm.tqdm", "bytearray", "asyncio.gather", "print_and_return", "contextlib.closing", "closing", "text", "sqlalchemy.text", "unicode", "cast":
		return passes0
	case "typing.cast":
		return passes1
	case "Path", "os.path":
		return passes0
	}
	return 0
}

func luaAct(name string) act {
	switch name {
	case "os.execute", "io.popen":
		return runs
	case "os.remove", "lfs.rmdir":
		return removes
	case "os.rename":
		return moves
	case "io.open", "io.output":
		return opens
	case "load", "loadstring", "dostring":
		return evaluates
	case "require":
		return imports
	case "os.getenv":
		return gets
	case "os.tmpname":
		return temps
	case "ipairs", "pairs", "tostring", "assert":
		return passes0
	case "pcall":
		return calls
	}
	return 0
}

func rAct(name string) act {
	switch name {
	case "system", "shell", "pipe":
		return runs
	case "system2", "processx.run":
		return spawns
	case "unlink":
		return removesBy
	case "file.remove", "fs.file_delete":
		return removes
	case "fs.dir_delete":
		return removesAll
	case "file.rename":
		return moves
	case "file.copy":
		return copies
	case "writeLines", "write.csv", "write.table", "saveRDS", "write", "dput", "writeBin", "readr.write_csv", "write_csv", "fwrite", "write_json", "ggsave":
		if name == "ggsave" {
			return writes
		}
		return writes1
	case "file.create", "sink", "pdf", "png", "svg":
		return writes
	case "file":
		return opens
	case "file.path":
		return joins
	case "list.files", "dir":
		return lists
	case "Sys.glob":
		return globs
	case "Sys.chmod":
		return chmods
	case "setwd":
		return goes
	case "getwd":
		return heres
	case "tempfile", "tempdir":
		return temps
	case "Sys.getenv":
		return gets
	case "path.expand", "normalizePath", "c", "list", "invisible", "as.character", "parse", "unlist", "rev":
		return passes0
	case "eval", "source":
		return evaluates
	case "lapply", "sapply":
		return maps
	case "do.call":
		return calls
	}
	return 0
}
