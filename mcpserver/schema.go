package mcpserver

const argsSchema = `{"type":"object","additionalProperties":false,"required":["project_root"],"properties":{
"project_root":{"type":"string","minLength":1,"description":"folder of the project, absolute or beginning with ~"},
"session_id":{"type":"string","description":"id of the Claude Code session; without it and without state_dir the newest task of the project is meant"},
"state_dir":{"type":"string","description":"state folder of the session, <devflow root>/state/<session id>; may begin with ~"}}}`

const texts = `{"type":"array","items":{"type":"string"}}`

const level = `{"type":["string","null"],"description":"vibe, standard, strict or human_review; null before the first score"}`

const evaluationSchema = `{"type":"object","required":["verdict","forced_fail_reasons","soft_fail_notes","violated_axes","attempt","diff_sha"],"properties":{
"verdict":{"type":"string","enum":["pass","warn","fail","judge_error","skipped_no_diff"]},
"forced_fail_reasons":` + texts + `,"soft_fail_notes":` + texts + `,"violated_axes":` + texts + `,
"attempt":{"type":"integer"},"diff_sha":{"type":"string"}}}`

const healthSchema = `{"type":"object","required":["cost_usd","tdd_violations","risk_flags","last_verdict","oversight_level","attempts","halted"],"properties":{
"cost_usd":{"type":["number","null"],"description":"US dollars at list price; null when unknown"},
"tdd_violations":` + texts + `,
"risk_flags":{"type":"array","items":{"type":"object","required":["kind","severity","summary"],"properties":{
"kind":{"type":"string"},"severity":{"type":"string"},"summary":{"type":"string"}}}},
"last_verdict":{"type":"string"},"oversight_level":` + level + `,"attempts":{"type":"integer"},"halted":{"type":"boolean"}}}`

const answerSchema = `{"type":"object","required":["oversight_level","risk","shadow_started","verdict","forced_fail_reasons","soft_fail_notes","ready_to_push"],"properties":{
"oversight_level":` + level + `,
"risk":{"type":["object","null"],"description":"each 0 to 1; a high detectability is hard to notice","required":["probability","impact","detectability"],"properties":{
"probability":{"type":"number"},"impact":{"type":"number"},"detectability":{"type":"number"}}},
"shadow_started":{"type":"boolean"},
"verdict":{"type":"string","description":"of exactly the present diff; stale when there is only one of another diff, none when there is none"},
"forced_fail_reasons":` + texts + `,"soft_fail_notes":` + texts + `,"ready_to_push":{"type":"boolean"}}}`
