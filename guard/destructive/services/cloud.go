package services

import (
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"strings"

	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/shell"
)

const dryRun = "show it first: `kubectl delete -f app.yaml --dry-run=client`, `terraform plan -destroy`; then tell the user"

// containerRules are about containers, their volumes and their hosts.
var containerRules = [...]rule.Rule{
	{
		ID: "container.volumes", Decision: verdict.Deny, Match: volumes,
		What: "deletes the data of containers", Why: "what was stored in them is gone: databases and uploads live in volumes", Instead: "stop and keep the data: `docker compose down`; look first: `docker volume ls`",
	},
	{
		ID: "container.prune", Decision: verdict.Ask, Match: prune,
		What: "deletes containers or images that others may need", Why: "% goes, whoever needs it", Instead: "name the one: `docker rm my-container`; free space: `docker builder prune`",
	},
	{
		ID: "container.host", Decision: verdict.Deny, Match: hostMount,
		What: "gives a container the whole machine", Why: "% can be changed from inside, past every permission", Instead: "mount the folder that is needed: `docker run --rm -v ./src:/src:ro alpine ls /src`",
	},
}

const volumeLines = `docker system prune --volumes
docker volume prune
docker swarm leave --force|-f
docker stack|service|secret|config rm|remove
docker system reset
docker machine rm|reset
docker pod rm -a|--all
docker rm -a|--all
docker rmi -a|--all
colima|lima|limactl delete
vagrant destroy
multipass delete|purge
incus|lxc delete
virsh undefine|destroy|vol-delete|pool-delete
crictl rmp|rm -a|--all
ctr images|containers|snapshots rm|delete`

// volumes leaves alone what is named for a test: docker compose -f docker-compose.test.yml down -v, docker volume rm app_test.
func volumes(k *rule.Call) string {
	if hit := k.MatchLines("docker compose down|rm -v|--volumes\ndocker volume rm|remove"); hit != "" && !throwaway(k) {
		return hit
	}
	return k.MatchLines(volumeLines)
}

// prune says what goes. What takes volumes along is worse and not for it. It also finds the removal of whatever a listing names, unless the listing is filtered. Throwaway clusters may go.
func prune(k *rule.Call) string {
	switch {
	case volumes(k) != "", rule.OneOf(k.Name, "kind", "k3d", "minikube") && throwaway(k):
		return ""
	case k.MatchLines("docker rm|kill|stop") != "":
		return allListed(k)
	case k.MatchLines("docker system prune -a|--all") != "":
		return "every image that no container runs, with every stopped container,"
	case k.MatchLines("docker system prune") != "":
		return "every stopped container, with unused networks and untagged images,"
	case k.MatchLines("docker container prune") != "":
		return "every stopped container"
	case k.MatchLines("docker context rm") != "":
		return "the way to another machine"
	case k.MatchLines("kind|k3d|minikube delete\nkind|k3d cluster|clusters delete") != "":
		return "the cluster with all that runs in it"
	}
	return ""
}

// allListed finds docker rm of whatever docker ps lists, in a substitution or through a pipe.
func allListed(k *rule.Call) string {
	listed := func(words string) bool {
		return strings.Contains(words, "docker ps ") || strings.Contains(words, "docker container ls ") || strings.Contains(words, "podman ps ")
	}
	filtered := func(words string) bool {
		return strings.Contains(words, "-f ") || strings.Contains(words, "--filter") || strings.Contains(words, "grep") || strings.Contains(words, "ancestor=")
	}
	const every = "every container that is listed"
	for _, x := range k.Words {
		if listed(x.Text+" ") && !filtered(x.Text) {
			return every
		}
	}
	if !k.Cmd.Wrapped("xargs") || k.MatchLines("docker rm|kill -f|--force\ndocker kill") == "" {
		return ""
	}
	for _, i := range k.Cmd.Stdin.From {
		if i >= 0 && i < len(k.Script.Commands) && (k.Script.Commands[i].Name == "grep" || filtered(k.Script.Commands[i].Text)) {
			return ""
		}
	}
	return every
}

// throwaway reports whether a command names something that is made for a test: the value of an option or an argument.
func throwaway(k *rule.Call) bool {
	found := false
	for i, x := range k.Words {
		name := x.Text
		if _, v, ok := strings.Cut(name, "="); ok && strings.HasPrefix(name, "-") {
			name = v
		} else if strings.HasPrefix(name, "-") || i == 0 {
			continue
		}
		switch {
		case liveName(name):
			return false
		case testName(name):
			found = true
		}
	}
	return found
}

// liveName recognises the names of what real people use.
func liveName(name string) bool {
	for _, p := range parts(name) {
		if rule.OneOf(p, "prod", "production", "live", "main", "master", "staging") {
			return true
		}
	}
	return false
}

// parts cuts a name into its words.
func parts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80 })
}

// hostMount finds a writable mount of a folder that is the machine.
func hostMount(k *rule.Call) string {
	for _, m := range k.Cmd.Mounts {
		for _, e := range mounted(k, m.Host) {
			if !m.ReadOnly && rule.OneOf(e.Target.Path, "/", "/etc", "/boot", "/usr", "/bin", "/dev", "/var", "/lib") {
				return m.Host.Text
			}
		}
	}
	if k.Name != "docker" || !k.Arg("run", "create") {
		return ""
	}
	for i, x := range k.Words {
		t := x.Text
		if rule.OneOf(t, "-v", "--volume") && i+1 < len(k.Words) {
			t = k.Words[i+1].Text
		} else if v, ok := strings.CutPrefix(t, "--volume="); ok {
			t = v
		} else if v, ok := strings.CutPrefix(t, "-v"); ok && v != "" {
			t = v
		}
		if (strings.HasPrefix(t, "/:") || strings.Contains(t, "source=/,") || strings.Contains(t, "src=/,")) && !strings.HasSuffix(t, ":ro") && !strings.Contains(t, "readonly") {
			return t
		}
	}
	return ""
}

// cloudRules are about what runs elsewhere: clusters, clouds, hosting, registries.
var cloudRules = [...]rule.Rule{
	{
		ID: "kubernetes.delete", Decision: verdict.Deny, Match: kubernetesDelete,
		What: "deletes parts of a cluster", Why: "data and settings go with them, for everybody who uses it", Instead: dryRun,
	},
	{
		ID: "kubernetes.change", Decision: verdict.Ask, Match: clusterChange,
		What: "takes something of a cluster out of service", Why: "whoever uses it is cut off until somebody starts it again", Instead: "look first: `kubectl get all`",
	},
	{
		ID: "infra.destroy", Decision: verdict.Deny, Match: infraDestroy,
		What: "destroys infrastructure", Why: "machines, networks and databases go, or the record of them does", Instead: "show it first: `terraform plan -destroy`",
	},
	{
		ID: "infra.unseen", Decision: verdict.Ask, Match: infraUnseen,
		What: "changes infrastructure without a look at the plan", Why: "whatever it says is done at once, deletions too", Instead: "let the user see the plan: `terraform plan -out=plan.bin`",
	},
	{
		ID: "cloud.delete", Decision: verdict.Deny, Match: cloudDelete,
		What: "deletes a resource of a cloud", Why: "it is gone for everybody who uses it, often with its data and backups", Instead: "look first: `aws s3 ls s3://bucket`, `gcloud projects list`, `az group list`; then tell the user",
	},
	{
		ID: "hosting.delete", Decision: verdict.Deny, Lines: hostingLines,
		What: "deletes something that is published", Why: "everybody who uses it loses it, often with its name and history", Instead: "look first: `gh repo view`; then tell the user",
	},
	{
		ID: "hosting.withdraw", Decision: verdict.Ask, Lines: withdrawLines,
		What: "withdraws something that is published", Why: "others get something else from then on, or nothing", Instead: "look first: `gh release list`; then tell the user",
	},
	{
		ID: "http.delete", Decision: verdict.Ask, Match: httpDelete,
		What: "sends a DELETE to a server", Why: "% would be deleted there", Instead: "look first: `curl -sS https://example.test/item/1`",
	},
}

const clusterLines = `kubectl delete
kubectl drain
kubectl replace --force
kubectl scale --replicas=0
kubectl apply --prune
kubectl rollout undo --to-revision=0
kubectl taint
nomad job stop
nomad system gc
istioctl uninstall|x`

// clusterChange leaves dry runs and single pods and jobs, which come back, alone.
func clusterChange(k *rule.Call) string {
	if k.Option("--dry-run") || kubernetesDelete(k) != "" || k.MatchLines("kubectl delete pod|pods|po|pod/*|po/*|job|jobs|job/* #") != "" && !k.Option("--all|-A|--all-namespaces") || k.MatchLines("kubectl delete pod|pods|po|job|jobs -l|--selector|--field-selector") != "" && !k.Option("--all|-A|--all-namespaces") {
		return ""
	}
	return k.MatchLines(clusterLines)
}

// kubernetesDelete tells the deletions that take data along from those that a controller makes good.
func kubernetesDelete(k *rule.Call) string {
	if k.Option("--dry-run") || k.Arg("--dry-run=client", "--dry-run=server") || rule.OneOf(k.Name, "helm", "helmfile", "skaffold", "tilt") && throwaway(k) {
		return ""
	}
	if k.MatchLines("kubectl delete pod|pods|po -l|--selector") != "" && !k.Option("--all|-A|--all-namespaces") { // their controllers make new ones
		return ""
	}
	return k.MatchLines(`kubectl delete namespace*|ns|ns/*|pv|pvc|pv/*|pvc/*|persistentvolume*|crd|crd/*|crds|customresourcedefinition*|node|nodes|node/*|all|secret*|statefulset*|sts|sts/*|deploy*|deployment*|cluster*|storageclass*|db|database*|sc
kubectl delete --all|-A|--all-namespaces
kubectl delete project|projects
kubectl delete -l|--selector
helm uninstall|delete|del|un
helmfile destroy|delete
argocd app delete
flux uninstall
flux delete
velero backup|restore|schedule delete
eksctl delete
rancher delete|rm
kops delete
kubeadm reset
nomad job stop -purge
skaffold delete
tilt down
juju destroy-model|destroy-controller|kill-controller|remove-application`)
}

const unseenLines = `terraform apply -auto-approve|--auto-approve
terraform run-all apply
terraform workspace delete
terraform state replace-provider
pulumi up --yes|-y
pulumi refresh --yes|-y
cdk deploy --force
terraform force-unlock
ansible-playbook --extra-vars=state=absent`

// infraUnseen leaves what destroys everything to the worse rule.
func infraUnseen(k *rule.Call) string {
	if infraDestroy(k) != "" {
		return ""
	}
	return k.MatchLines(unseenLines)
}

// infraDestroy leaves plans alone.
func infraDestroy(k *rule.Call) string {
	if k.Arg("plan", "show", "validate", "--preview-only") {
		return ""
	}
	return k.MatchLines(`terraform destroy
terraform apply -destroy|--destroy
terraform run-all destroy
terraform state rm|push
pulumi destroy
pulumi stack rm
pulumi state delete
cdk destroy
sam delete
serverless|sls remove
sst remove
copilot app|env|svc|job delete
chalice delete
zappa undeploy
packer build -force
crossplane delete
nixops destroy|delete
azd down
gcloud deployment-manager deployments delete
cloudformation delete-stack
vault kv destroy|delete|metadata
vault secrets|auth disable
vault delete
vault operator seal`)
}

// cloudDelete reads the big clouds by their verbs.
func cloudDelete(k *rule.Call) string {
	if k.Arg("--dry-run", "--dryrun", "--no-execute", "help") {
		return ""
	}
	all := strings.TrimSpace(k.Name + " " + rule.Join(k.Words))
	plain := k.Plain()
	switch k.Name {
	case "aws":
		if emulated(k) {
			return ""
		}
		for i, p := range plain[:min(len(plain), 4)] {
			switch {
			case strings.HasPrefix(p, "delete-") && !strings.HasPrefix(p, "delete-message"), strings.HasPrefix(p, "terminate-"), strings.HasPrefix(p, "destroy-"), strings.HasPrefix(p, "purge-"),
				strings.HasPrefix(p, "deregister-"), strings.HasPrefix(p, "release-address"), p == "schedule-key-deletion", strings.HasPrefix(p, "batch-delete-"), strings.HasPrefix(p, "empty-"):
				return all
			case p == "rb" && i > 0, p == "rm" && i > 0 && k.Arg("--recursive"), rule.OneOf(p, "sync", "mv") && k.Arg("--delete"), p == "nuke":
				return all
			}
		}
	case "gcloud", "az", "doctl", "linode-cli", "hcloud", "scw", "oci", "ibmcloud", "yc", "aliyun", "exo", "vultr-cli", "upctl", "gsutil", "azcopy", "mc", "s3cmd", "rclone", "bq", "firebase", "cf", "civo", "b2", "s5cmd", "openstack":
		for i, p := range plain[:min(len(plain), 6)] {
			switch {
			case rule.OneOf(p, "delete", "destroy", "purge", "delete-all", "terminate", "deletefile", "delete-org", "delete-space", "delete-batch", "firestore:delete", "database:remove", "hosting:disable", "functions:delete", "projects:delete", "apps:delete", "nuke", "wipe"):
				return all
			case rule.OneOf(p, "rb", "remove", "rm") && (p == "rb" || k.Option("-r|-R|--recursive|--force|--all-versions") || !rule.OneOf(k.Name, "gsutil", "mc", "s3cmd", "gcloud", "b2", "s5cmd", "azcopy", "firebase", "az") || i == 0 && k.Name == "azcopy"):
				return all
			case rule.OneOf(p, "rsync", "mirror", "sync") && k.Option("-d|--delete-unmatched-destination-objects|--remove|--delete-removed|--delete|--delete-destination"):
				return all
			}
		}
	case "aws-nuke", "cloud-nuke", "gcp-nuke":
		return all
	}
	return ""
}

// emulated reports whether the command talks to a service on this machine: LocalStack, MinIO, DynamoDB Local.
func emulated(k *rule.Call) bool {
	for i, x := range k.Words {
		if strings.HasPrefix(x.Text, "http") && local(x.Text) { // --queue-url http://localhost:4566/q
			return true
		}
		v, ok := strings.CutPrefix(x.Text, "--endpoint-url")
		switch {
		case !ok:
		case v == "" && i+1 < len(k.Words):
			v = k.Words[i+1].Text
		}
		if ok && local(strings.TrimPrefix(v, "=")) {
			return true
		}
	}
	return local(k.Env("AWS_ENDPOINT_URL"))
}

// local reports whether an address is of this machine.
func local(address string) bool {
	host := strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://")
	return strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "[::1]") || strings.HasPrefix(host, "0.0.0.0") || strings.HasPrefix(host, ":")
}

const hostingLines = `gh repo delete|archive
gh release delete|delete-asset
gh secret|variable|ssh-key|gpg-key|codespace|environment|gist delete|remove
gh issue delete
gh api -XDELETE|--method=DELETE
glab repo|project delete
glab release delete
hub delete
tea repos delete
fly apps|app destroy
fly destroy
fly volumes|volume|vol|machine|machines|m|postgres|mpg destroy|delete
fly secrets unset
heroku apps:destroy|apps:delete|addons:destroy|pg:killall|domains:clear|pipelines:destroy|destroy
vercel remove|rm
vercel project|env|domains|dns|alias|secrets rm|remove
netlify sites:delete|env:unset|functions:delete
wrangler delete
wrangler kv|kv:namespace|kv:key|r2|d1|queues|pages|vectorize|hyperdrive|secret delete|bulk
wrangler kv|r2|pages|queues namespace|bucket|object|project|key|consumer delete
railway down|delete|destroy
railway volume|service|environment delete
render services|service delete
supabase projects|branches|functions|secrets delete|unset
neonctl projects|branches|databases|roles delete
turso db|group destroy
pscale database|branch|backup delete
upstash redis|kafka delete
surge teardown
dokku apps:destroy|postgres:destroy|mysql:destroy|redis:destroy|ps:stop
caprover delete
npm unpublish
npm access|owner|team revoke|rm|destroy
npm token revoke
pnpm unpublish
cargo owner --remove
twine delete
gem yank
ghcr delete
sentry-cli releases|projects delete
stripe delete`

const withdrawLines = `npm deprecate
npm dist-tag rm
cargo yank
gh repo edit --visibility
gh repo rename
gh workflow disable
gh pr close --delete-branch|-d
gh label|run delete
docker manifest rm
pod trunk delete`

// httpDelete finds a request that deletes on another machine.
func httpDelete(k *rule.Call) string {
	method := ""
	var urls []string
	for i, x := range k.Words {
		t := x.Text
		switch {
		case rule.OneOf(t, "-X", "--request", "--method", "-Method", "-method") && i+1 < len(k.Words):
			method = k.Words[i+1].Text
		case strings.HasPrefix(t, "-X"):
			method = t[2:]
		case strings.HasPrefix(t, "--request=") || strings.HasPrefix(t, "--method="):
			_, method, _ = strings.Cut(t, "=")
		case rule.OneOf(k.Name, "http", "https", "xh") && t == "DELETE":
			method = t
		case strings.Contains(t, "/") || strings.Contains(t, "localhost"):
			urls = append(urls, t)
		}
	}
	if !strings.EqualFold(method, "DELETE") {
		return ""
	}
	for _, u := range urls {
		if whole := strings.TrimSuffix(u, "/"); strings.HasSuffix(whole, "/_all") || strings.HasSuffix(whole, "/*") {
			return u
		}
		if !local(u) {
			return u
		}
	}
	return ""
}

// mounted resolves the host's side of a mount.
func mounted(k *rule.Call, host shell.Word) []rule.Effect {
	if host.Text == "" || host.Text[0] != '/' && host.Text[0] != '~' && host.Text[0] != '$' && host.Text[0] != '.' {
		return nil
	}
	return []rule.Effect{{Target: k.World.Resolve(shell.Dir{}, host)}}
}

// Tables lists the tables.
func Tables() [][]rule.Rule { return [][]rule.Rule{databaseRules[:], containerRules[:], cloudRules[:]} }
