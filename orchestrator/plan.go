package orchestrator

// Module is a folder of the project that has one owner.
type Module struct {
	Name      string   `json:"name"`       // [a-z0-9][a-z0-9_-]{0,40}, unique
	Path      string   `json:"path"`       // slash-separated folder relative to the project's root; never "." and never inside another module
	Weight    float64  `json:"weight"`     // expected work, relative: 1 small … 5 large; 0.1–100
	DependsOn []string `json:"depends_on"` // names of modules whose interfaces it uses
}

// Task is a piece of work inside one module.
type Task struct {
	ID          string   `json:"id"` // [a-z0-9][a-z0-9_-]{0,40}, unique
	Module      string   `json:"module"`
	Description string   `json:"description"`
	DependsOn   []string `json:"depends_on"`        // ids of tasks whose result must be integrated before this one starts
	Acceptance  string   `json:"acceptance_cmd"`    // shell command, run in the module's folder; "" = nothing to check but that work was done
	Network     bool     `json:"network,omitempty"` // its commands may reach the network; off unless a person allowed it
}

// Plan is what the manager proposes and a person accepts.
type Plan struct {
	Summary string   `json:"summary"`
	Modules []Module `json:"modules"`
	Tasks   []Task   `json:"tasks"`
}

// Module gives the module of a name.
func (p Plan) Module(name string) (Module, bool) {
	for _, m := range p.Modules {
		if m.Name == name {
			return m, true
		}
	}
	return Module{}, false
}

// Region is one or more modules that one worker owns.
type Region struct {
	Name    string   // the module's name when it has one module, otherwise made by the packer
	Modules []Module // the first is the primary: the worker starts in its folder
}

// Paths are the folders of the region, relative to the project's root.
func (r Region) Paths() []string {
	paths := make([]string, len(r.Modules))
	for i, m := range r.Modules {
		paths[i] = m.Path
	}
	return paths
}
