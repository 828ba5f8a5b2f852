-- Three weeks of a small project. Ms are around 2026-11-30T12:00:00Z, which is 1796040000000.
INSERT INTO task_executions(task_id,timestamp,session_id,task_category,task_description,stack,model,iterations_to_completion,tool_calls_total,
  context_tokens_consumed,context_tokens_at_first_action,context_anxiety_score,input_tokens,output_tokens,cache_read_tokens,cache_creation_tokens,
  cost_usd,oversight_level,judge_verdict,judge_categories_failed,task_time_seconds,reflection_injected,tdd_followthrough_rate,compaction_events,test_retry_count) VALUES
 ('0a1b2c3d-1111-4111-8111-111111111111#1','2026-11-30T11:40:00.000Z','0a1b2c3d-1111-4111-8111-111111111111','feature','add token rotation','python','claude-opus-4-8',3,41,
  152345,61200,0.0612,40000,12345,2400000,100000,1.40275,'strict','pass','[]',1980,1,1.0,1,2),
 ('0a1b2c3d-1111-4111-8111-111111111111#2','2026-11-30T11:55:00.000Z','0a1b2c3d-1111-4111-8111-111111111111','bugfix','fix: expired tokens accepted','python','claude-opus-4-8',1,9,
  20000,4000,0.004,5000,3000,300000,12000,0.2875,'human_review','fail','["[tdd] Missing Test Coverage: src/auth/token.py","[test] assertion removed, see tests/test_token.py:12"]',600,NULL,0.5,0,0),
 ('9f8e7d6c-2222-4222-8222-222222222222#1','2026-11-29T09:00:00.000Z','9f8e7d6c-2222-4222-8222-222222222222','docs','README typo','none','claude-haiku-4-5-20251001',1,2,
  1500,NULL,NULL,1000,500,9000,0,0.0044,'vibe',NULL,NULL,45,NULL,1.0,0,NULL),
 ('77777777-3333-4333-8333-333333333333#1','2026-11-20T16:20:30.000Z','77777777-3333-4333-8333-333333333333','refactor','split the client','go','claude-opus-9',2,30,
  90000,80000,0.4,50000,10000,1000000,30000,NULL,'standard','warn','["[tdd] Missing Test Coverage: src/auth/token.py","[qa] weak: no empty input, no overflow"]',3600,1,NULL,0,1),
 ('66666666-4444-4444-8444-444444444444#12','2026-11-10T08:00:00.000Z','66666666-4444-4444-8444-444444444444','question',NULL,NULL,NULL,1,0,
  0,NULL,NULL,0,0,0,0,0.0,NULL,'skipped_no_diff',NULL,NULL,NULL,NULL,0,NULL);
INSERT INTO tasks(session_id,seq,project_root,cwd,category,description,spec_status,plan_path,spec_ms,oversight,p,i,d,r,state,attempts,resume_code,token_baseline,armed,
  tok_in,tok_out,tok_read,tok_w5,tok_w1h,cost_nusd,model,started_ms,updated_ms,ended_ms) VALUES
 ('0a1b2c3d-1111-4111-8111-111111111111',1,'/home/dev/proj','/home/dev/proj','feature','add token rotation','completed','docs/plan.md',1796035000000,'strict',230,900,312,64,'passed',0,NULL,0,0,
  40000,12345,2400000,60000,40000,1402750000,'claude-opus-4-8',1796035000000,1796038800000,1796038800000),
 ('0a1b2c3d-1111-4111-8111-111111111111',2,'/home/dev/proj','/home/dev/proj','bugfix','fix: expired tokens accepted','implementing','docs/plan.md',1796039000000,'human_review',230,900,560,115,'halted',3,'K7Q2',2000,1,
  5000,3000,300000,12000,0,287500000,'claude-opus-4-8',1796039000000,1796039700000,NULL),
 ('9f8e7d6c-2222-4222-8222-222222222222',1,'/home/dev/proj','/home/dev/proj','docs','README typo','none',NULL,NULL,'vibe',100,100,210,2,'idle',0,NULL,0,0,
  1000,500,9000,0,0,4400000,'claude-haiku-4-5-20251001',1795942800000,1795942845000,NULL),
 ('aaaaaaaa-5555-4555-8555-555555555555',1,'/home/dev/proj','/home/dev/proj','chore',NULL,'none',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',0,NULL,0,0,
  0,0,0,0,0,0,NULL,1795943100000,1795943100000,NULL),
 ('bbbbbbbb-6666-4666-8666-666666666666',1,'/home/dev/proj','/home/dev/proj','chore',NULL,'none',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',0,NULL,0,0,
  0,0,0,0,0,0,NULL,1795943400000,1795943400000,NULL);
INSERT INTO judge_runs(session_id,seq,n,attempt,diff_sha,backend,model,oversight,started_ms,ms,verdict,reasons,tokens_in,tokens_out) VALUES
 ('0a1b2c3d-1111-4111-8111-111111111111',1,1,1,'d1','rules','deterministic','strict',1796037000000,80,'fail','[{"prefix":"tdd","text":"Missing Test Coverage: src/auth/token.py"}]',0,0),
 ('0a1b2c3d-1111-4111-8111-111111111111',1,2,2,'d2','rules','deterministic','strict',1796038000000,85,'pass','[]',0,0),
 ('0a1b2c3d-1111-4111-8111-111111111111',2,1,1,'d3','rules','deterministic','human_review',1796039200000,70,'fail','[{"prefix":"tdd","text":"Missing Test Coverage: src/auth/token.py"}]',0,0),
 ('0a1b2c3d-1111-4111-8111-111111111111',2,2,2,'d4','rules','deterministic','human_review',1796039400000,75,'fail','["[tdd] Missing Test Coverage: src/auth/token.py"]',0,0),
 ('0a1b2c3d-1111-4111-8111-111111111111',2,3,3,'d5','rules','deterministic','human_review',1796039600000,90,'fail',
  '[{"prefix":"tdd","text":"Missing Test Coverage: src/auth/token.py"},{"prefix":"test","text":"assertion removed","file":"tests/test_token.py"}]',0,0),
 ('77777777-3333-4333-8333-333333333333',1,1,1,'d6','rules','deterministic','standard',1795191600000,60,'warn','[]',0,0);
INSERT INTO signals(id,session_id,seq,kind,key,severity,source,payload,state,generation,created_ms,updated_ms) VALUES
 (1,'0a1b2c3d-1111-4111-8111-111111111111',2,'tdd_violation','src/auth/token.py','hard','post_tool_use','{}','open',1,1796039100000,1796039100000),
 (2,'0a1b2c3d-1111-4111-8111-111111111111',2,'subagent_report','qa','soft','swarm','{}','claimed',1,1796039150000,1796039150000),
 (3,'0a1b2c3d-1111-4111-8111-111111111111',2,'tdd_violation','src/auth/other.py','hard','post_tool_use','{}','resolved',1,1796039100000,1796039120000),
 (4,'0a1b2c3d-1111-4111-8111-111111111111',1,'tdd_violation','src/a.py','hard','post_tool_use','{}','consumed',1,1796036000000,1796038000000);
INSERT INTO hook_runs(id,ms,session_id,seq,event,tool,outcome,us,modules) VALUES
 (1,1796035000000,'0a1b2c3d-1111-4111-8111-111111111111',0,'SessionStart',NULL,'ok',3100,NULL),
 (2,1796035100000,'0a1b2c3d-1111-4111-8111-111111111111',1,'UserPromptSubmit',NULL,'ctx',3500,'spec:120:ctx'),
 (3,1796036000000,'0a1b2c3d-1111-4111-8111-111111111111',1,'PreToolUse','Write','ctx',3900,'guard:80:ok,profiler:150:ctx'),
 (4,1796036010000,'0a1b2c3d-1111-4111-8111-111111111111',1,'PostToolUse','Write','ctx',4200,'tdd:900:ctx,context:310:ok'),
 (5,1796036500000,'0a1b2c3d-1111-4111-8111-111111111111',1,'PreToolUse','Bash','ok',3700,'guard:95:ok,profiler:140:ok'),
 (6,1796036600000,'0a1b2c3d-1111-4111-8111-111111111111',1,'PreToolUse','Bash','error',5300000,'guard:5299000:error'),
 (7,1796039700000,'0a1b2c3d-1111-4111-8111-111111111111',2,'Stop',NULL,'halt',84000,'gate:60:ok,usage:2100:ok,judge:70000:halt'),
 (0,1795942845000,'9f8e7d6c-2222-4222-8222-222222222222',1,'Stop',NULL,'ok',9000,'gate:50:ok,usage:1900:ok');
INSERT INTO edits(session_id,n,seq,path,tool,kind,read_before,added,removed,ms) VALUES
 ('0a1b2c3d-1111-4111-8111-111111111111',1,1,'src/auth/token.py','Write','impl',1,60,0,1796036010000),
 ('0a1b2c3d-1111-4111-8111-111111111111',2,2,'src/auth/token.py','Edit','impl',1,3,1,1796039100000),
 ('0a1b2c3d-1111-4111-8111-111111111111',3,2,'src/auth/token.py','Edit','impl',1,3,1,1796039110000),
 ('0a1b2c3d-1111-4111-8111-111111111111',4,2,'src/auth/token.py','Edit','impl',1,3,1,1796039120000),
 ('0a1b2c3d-1111-4111-8111-111111111111',5,2,'src/auth/token.py','Edit','impl',1,3,1,1796039130000),
 ('0a1b2c3d-1111-4111-8111-111111111111',6,2,'src/auth/token.py','Edit','impl',1,3,1,1796039140000);
INSERT INTO tool_log(session_id,n,seq,tool,path,ok,class,empty,ms) VALUES
 ('0a1b2c3d-1111-4111-8111-111111111111',1,1,'Read','src/auth/token.py',1,NULL,0,1796035200000),
 ('0a1b2c3d-1111-4111-8111-111111111111',2,1,'Grep',NULL,1,NULL,0,1796035300000),
 ('0a1b2c3d-1111-4111-8111-111111111111',3,1,'Bash',NULL,1,'read',0,1796035400000),
 ('0a1b2c3d-1111-4111-8111-111111111111',4,1,'Write','src/auth/token.py',1,NULL,0,1796036010000),
 ('0a1b2c3d-1111-4111-8111-111111111111',5,1,'Read','src/auth/token.py',1,NULL,0,1796036100000),
 ('0a1b2c3d-1111-4111-8111-111111111111',6,2,'Bash',NULL,0,'test',0,1796039200000),
 ('0a1b2c3d-1111-4111-8111-111111111111',7,2,'Bash',NULL,0,'test',0,1796039210000),
 ('0a1b2c3d-1111-4111-8111-111111111111',8,2,'Edit','src/auth/token.py',0,NULL,0,1796039220000),
 ('0a1b2c3d-1111-4111-8111-111111111111',9,2,'Bash',NULL,1,'test',0,1796039230000),
 ('0a1b2c3d-1111-4111-8111-111111111111',10,2,'Bash',NULL,0,'test',0,1796039240000);
INSERT INTO cursors(path,ino,offset,occupancy,model,ms) VALUES
 ('/home/dev/.claude/projects/-home-dev-proj/0a1b2c3d-1111-4111-8111-111111111111.jsonl',7,123456,101057,'claude-opus-4-8',1796039700000),
 ('/home/dev/.claude/projects/-home-dev-proj/0a1b2c3d-1111-4111-8111-111111111111/subagents/agent-a.jsonl',8,99,500,'claude-opus-4-8',1796039700000);
