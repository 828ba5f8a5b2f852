package destructive

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
)

// call is one command on its way through the rules.
type call struct {
	script *shell.Script
	cmd    *shell.Command
	world  place.World
	name   string       // the program, also where only its last part is readable
	words  []shell.Word // arguments
}

// read fills in the name.
func (k *call) read() {
	k.name = k.cmd.Name
	if len(k.cmd.Words) > 0 {
		k.words = k.cmd.Words[1:]
	}
}

func groupsFor(*call) [][]Rule { return nil }

func (k *call) effects() []effect {
	var list []effect
	if k.name == "rm" {
		for _, x := range k.words {
			if !strings.HasPrefix(x.Text, "-") {
				list = append(list, effect{dropTree, k.world.Resolve(k.cmd.Dir, x)})
			}
		}
	}
	return k.redirects(list)
}

func (k *call) redirects(list []effect) []effect {
	for _, r := range k.cmd.Redirs {
		if r.Writes() {
			list = append(list, effect{empty, k.world.Resolve(r.Dir, r.Target)})
		}
	}
	return list
}
