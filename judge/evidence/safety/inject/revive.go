package inject

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/safety/flow"
)

// revive finds values that are evaluated as code or read back as objects.
func revive(r *flow.Region) []hit {
	f := r.F
	var out []hit
	for i := r.From; i < r.To; i++ {
		if f.Kind(i) != source.Name {
			continue
		}
		open := i + 1
		if f.Is(i, "eval") && f.Is(open, ")") && f.Is(i-1, ",") && (f.Lang == source.JS || f.Lang == source.TS) { // (0, eval)(x)
			open++
		}
		if !f.Is(open, "(") {
			continue
		}
		if f.Is(i, "enableDefaultTyping") || f.Is(i, "activateDefaultTyping") {
			out = append(out, hit{tok: i, from: i, what: "types named in the data are brought to life (" + f.Text(i) + ")"})
			continue
		}
		args := f.Args(open)
		if len(args) == 0 {
			continue
		}
		what, soft := revives(r, i, args)
		if what == "" {
			continue
		}
		for _, a := range args {
			if v, ok := r.CarriesDeep(a[0], a[1]); ok {
				name := strings.TrimPrefix(v.Name, "\x00")
				out = append(out, hit{tok: v.Tok, line: v.Line, from: i, what: what + " is given " + name, soft: soft || r.Checked(v.Name)})
				break
			}
		}
	}
	return out
}

// revives names the call at token i when it evaluates or revives what it is given.
func revives(r *flow.Region, i int, args [][2]int) (what string, soft bool) {
	f := r.F
	name, on := f.Text(i), receiver(r, i)
	bare := on == ""
	switch f.Lang {
	case source.Python:
		return pythonRevives(r, i, name, on, args)
	case source.JS, source.TS:
		switch {
		case name == "eval" && (bare || on == "window" || on == "globalThis" || on == "global") && !f.Is(i-1, "function"):
			return "eval", false
		case (name == "Function" || name == "AsyncFunction" || name == "GeneratorFunction") && f.Kind(args[0][0]) != 0 && (f.Is(i-1, "new") || bare && !f.Is(i-1, "function") && !f.Is(i-1, ":")):
			return "the Function constructor", false
		case (name == "runInNewContext" || name == "runInThisContext" || name == "runInContext" || name == "compileFunction") && (on == "vm" || strings.Contains(on, "vm")), name == "Script" && on == "vm":
			return "vm." + name, false
		case name == "unserialize":
			return name, false
		case name == "deserialize" && (on == "v8" || strings.Contains(on, "serialize")):
			return on + ".deserialize", false
		}
	case source.Java, source.Kotlin, source.Scala:
		return javaRevives(r, i, name, on)
	case source.PHP:
		if bare && (name == "unserialize" && !option(r, args, "allowed_classes") && !strings.Contains(f.Norm(args[0][0], args[len(args)-1][1]), "allowed_classes") || name == "eval" || name == "create_function") {
			return name, false
		}
	case source.Ruby:
		switch {
		case name == "load" && (on == "Marshal" || on == "YAML" || on == "Psych"), name == "unsafe_load", name == "restore" && on == "Marshal":
			return on + "." + name, on == "YAML" && name == "load"
		case name == "eval" || name == "instance_eval" || name == "class_eval":
			return name, false
		}
	case source.CSharp:
		if name == "Deserialize" || name == "UnsafeDeserialize" {
			for _, w := range [...]string{"BinaryFormatter", "SoapFormatter", "NetDataContractSerializer", "LosFormatter", "ObjectStateFormatter"} {
				if strings.Contains(f.Span(r.From, r.To), w) {
					return w, false
				}
			}
		}
	}
	return "", false
}

func pythonRevives(r *flow.Region, i int, name, on string, args [][2]int) (what string, soft bool) {
	f := r.F
	switch name {
	case "loads", "load", "Unpickler", "load_all", "open", "decode", "full_load", "unsafe_load", "unsafe_load_all", "read_pickle":
	case "eval", "exec":
		if (on == "" || on == "builtins") && !f.Is(i-1, "def") {
			return name, false
		}
		return "", false
	default:
		return "", false
	}
	switch on {
	case "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "joblib":
		return on + "." + name, false
	case "shelve":
		if name != "open" {
			return "", false
		}
		return "shelve.open", false
	case "jsonpickle":
		return "jsonpickle." + name, false
	case "yaml":
		all := f.Norm(args[0][0], args[len(args)-1][1])
		switch {
		case strings.HasPrefix(name, "unsafe"):
			return "yaml." + name, false
		case name == "full_load", strings.Contains(all, "FullLoader"):
			return "yaml." + name, true
		case name != "load" && name != "load_all", strings.Contains(all, "SafeLoader"), strings.Contains(all, "BaseLoader"):
			return "", false
		}
		for k := args[0][0]; k < args[len(args)-1][1]; k++ { // Loader=loader: whoever chose it knows
			if f.Is(k, "Loader") && f.Is(k+1, "=") && f.Kind(k+2) == source.Name && !f.Is(k+3, ".") && !strings.Contains(f.Text(k+2), "Loader") {
				return "yaml." + name, true
			}
		}
		return "yaml." + name, false
	case "torch", "pd", "pandas":
		if strings.Contains(f.Norm(args[0][0], args[len(args)-1][1]), "weights_only = True") || on != "torch" && name != "read_pickle" {
			return "", false
		}
		return on + "." + name, true
	case "":
		if (name == "loads" || name == "load" || name == "Unpickler") && (r.Says("from pickle import") || r.Says("from marshal import") || r.Says("from dill import")) {
			return "pickle." + name, false
		}
	}
	if (on == "np" || on == "numpy") && name == "load" && strings.Contains(f.Norm(args[0][0], args[len(args)-1][1]), "allow_pickle = True") {
		return on + ".load", false
	}
	if strings.Contains(on, "pickle") && name != "open" || strings.Contains(on, "marshal") && name != "open" {
		return "pickle.Unpickler", false
	}
	return "", false
}

func javaRevives(r *flow.Region, i int, name, on string) (what string, soft bool) {
	f := r.F
	made := f.Is(i-1, "new") || f.Is(i-1, ".") || f.Lang != source.Java
	switch name {
	case "ObjectInputStream":
		if !made || f.Is(i-1, "class") || r.Name == "" && f.Lang != source.Java {
			return "", false
		}
		body := r.Body()
		if strings.Contains(body, "setObjectInputFilter") || strings.Contains(body, "resolveClass") || strings.Contains(body, "setSerialFilter") || !strings.Contains(body, "readObject") && !strings.Contains(body, "readUnshared") {
			return "", false
		}
		return "ObjectInputStream", false
	case "XMLDecoder":
		return name, false
	case "fromXML":
		return "XStream.fromXML", false
	case "deserialize":
		if strings.Contains(on, "SerializationUtils") {
			return "SerializationUtils.deserialize", false
		}
	case "load", "loadAs", "loadAll":
		if strings.Contains(on, "Yaml") && !r.Says("SafeConstructor") {
			return "Yaml." + name, false
		}
	case "eval":
		if strings.Contains(strings.ToLower(on), "engine") {
			return "ScriptEngine.eval", false
		}
	case "readClassAndObject":
		return "Kryo." + name, true
	}
	return "", false
}

// path finds files that are opened by a name that came with a request.
func path(r *flow.Region) []hit {
	f := r.F
	var out []hit
	for i := r.From; i < r.To; i++ {
		if f.Kind(i) != source.Name || !f.Is(i+1, "(") || !opens(f.Text(i), receiver(r, i)) {
			continue
		}
		body := r.Body()
		if v, ok := r.Carries(i+2, f.Close(i+1)); ok && v.Request && !r.Checked(v.Name) && !strings.Contains(body, "startsWith") && !strings.Contains(body, "commonpath") && !strings.Contains(body, "is_relative_to") {
			out = append(out, hit{tok: v.Tok, line: v.Line, from: i, what: "the name of the file that " + f.Text(i) + " opens comes from " + v.Name})
		}
	}
	return out
}

func opens(name, on string) bool {
	switch name {
	case "open":
		return on == "" || on == "io" || on == "os" || on == "fs"
	case "readFile", "readFileSync", "createReadStream", "writeFile", "writeFileSync", "unlink", "unlinkSync", "sendFile", "send_file", "ReadFile", "ServeFile", "FileInputStream",
		"FileReader", "newInputStream", "readAllBytes", "file_get_contents", "fopen", "readfile", "createWriteStream":
		return true
	case "Open", "Create", "Remove":
		return on == "os"
	}
	return false
}
