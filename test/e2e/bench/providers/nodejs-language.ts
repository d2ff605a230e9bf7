import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { LanguageRuntimeService } from '@pulumi/pulumi/proto/language_grpc_pb';
import * as messages from '@pulumi/pulumi/proto/language_pb';
import { PluginInfo } from '@pulumi/pulumi/proto/plugin_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { answering, exitWhenOrphaned, packageVersion } from './serve';

/**
 * Stands for Pulumi's Node.js language host, for plain `pulumi preview` and `pulumi up`: it runs the SDK's own runner in
 * a process of its own, as the real one does. Left out: installing packages, required plugins, debugging, tracing.
 */
const engine = process.argv.at(-1)!;

/** The exit status with which the runner says that it has told the user what is wrong. */
const alreadyTold = 32;

/** How long a program may go on after it was cancelled, in milliseconds. */
const grace = 5_000;

let program: ChildProcess | undefined;

function run(asked: messages.RunRequest): Promise<messages.RunResponse> {
  const info = asked.getInfo();
  const flags = {
    monitor: asked.getMonitorAddress(),
    engine,
    organization: asked.getOrganization(),
    project: asked.getProject(),
    stack: asked.getStack(),
    pwd: info?.getProgramDirectory() ?? asked.getPwd(),
    'root-directory': info?.getRootDirectory() ?? asked.getPwd(),
    parallel: String(asked.getParallel()),
  };
  const args = [
    require.resolve('@pulumi/pulumi/cmd/run'),
    ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    ...(asked.getDryrun() ? ['--dry-run'] : []),
    info?.getEntryPoint() ?? asked.getProgram(),
    ...asked.getArgsList(),
  ];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(asked.getConfigMap().entries())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(asked.getConfigsecretkeysList()),
      NODE_OPTIONS: process.env.CLUSTER_CANARY_E2E_NODE_OPTIONS,
    },
    // The engine prints what a language host prints.
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  program = child;
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code, signal) => {
      const reply = new messages.RunResponse();
      if (code === alreadyTold) {
        reply.setBail(true);
      } else if (code !== 0) {
        reply.setError(`the program ended with ${code === null ? signal : `exit status ${code}`}`);
      }
      done(reply);
    });
  });
}

function cancel(): Empty {
  const child = program;
  child?.kill('SIGINT');
  setTimeout(() => child?.kill('SIGKILL'), grace).unref();
  return new Empty();
}

const server = new Server();
server.addService(LanguageRuntimeService, {
  handshake: answering(() => new messages.LanguageHandshakeResponse()),
  getPluginInfo: answering(() => new PluginInfo().setVersion(packageVersion('@pulumi/pulumi'))),
  getRequiredPlugins: answering(() => new messages.GetRequiredPluginsResponse()),
  getRequiredPackages: answering(() => new messages.GetRequiredPackagesResponse()),
  run: answering(run),
  cancel: answering(cancel),
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) {
    throw error;
  }
  process.stdout.write(`${port}\n`);
});
process.on('exit', () => program?.kill('SIGKILL'));
exitWhenOrphaned();
