import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../problems';
import type { CallbackServer } from './callbacks';
import type { TransformMessages } from './transforms';

/** The parts of Pulumi's state that a preview sets. Each copy of the SDK in a process shares it. */
interface Store {
  readonly settings: { readonly options: Record<string, unknown> };
  callbacks: unknown;
  readonly logErrorCount: number;
  stackResource: unknown;
  resourcePackages: Map<string, unknown>;
  resourceModules: Map<string, unknown>;
}

/** Pulumi's SDK as a program resolves it, with the inner modules that a preview needs. */
export interface Sdk {
  readonly pulumi: typeof pulumi;
  readonly state: {
    readonly LocalStore: new () => Store;
    getStore(): Store;
    getGlobalStore(): Store;
    getResourceModules(): Map<string, unknown>;
  };
  /** Messages of an engine that runs a transform. */
  readonly messages: TransformMessages;
  /** What makes callbacks of transforms. */
  readonly callbackServer: CallbackServer;
  /** Loads modules as the SDK does. */
  readonly require: NodeJS.Require;
  /** Folder of the SDK. */
  readonly directory: string;
}

/**
 * Loads the SDK that a program would load.
 *
 * @param folders where to look for it, in turn
 * @throws InvalidInput where it is not installed
 */
export function loadSdk(folders: readonly string[]): Sdk {
  const found = folders.flatMap((folder) => {
    const fromProgram = createRequire(join(folder, 'program.js'));
    try {
      return [{ fromProgram, directory: dirname(fromProgram.resolve('@pulumi/pulumi/package.json')) }];
    } catch {
      return [];
    }
  });
  if (found[0] === undefined) {
    throw new InvalidInput('preview', [
      {
        path: 'program',
        value: folders[0],
        allowed: 'where @pulumi/pulumi is installed: run npm install there',
      },
    ]);
  }
  const { fromProgram, directory } = found[0];
  const own = createRequire(join(directory, 'package.json'));
  return {
    pulumi: fromProgram('@pulumi/pulumi') as Sdk['pulumi'],
    state: own('./runtime/state') as Sdk['state'],
    messages: own('./proto/resource_pb') as TransformMessages,
    callbackServer: (own('./runtime/callbacks') as { CallbackServer: { prototype: CallbackServer } })
      .CallbackServer.prototype,
    require: own,
    directory,
  };
}

/** What one run of a program is told by Pulumi. */
export interface RunSettings {
  readonly monitor: object;
  readonly callbacks: object;
  readonly project: string;
  readonly stack: string;
  readonly organization: string;
  readonly rootDirectory: string;
  readonly values: Readonly<Record<string, string>>;
  readonly secretKeys: readonly string[];
}

/**
 * Sets Pulumi up for one preview, in a state of its own.
 *
 * @returns the state, and a function that puts the earlier state back
 */
export function enterPreview(sdk: Sdk, run: RunSettings): { store: Store; leave: () => void } {
  const outer = sdk.state.getGlobalStore();
  const globals = globalThis as { globalStore?: unknown; stackResource?: unknown };
  const { stackResource } = globals;
  const store = new sdk.state.LocalStore();
  // Packages register their classes once, when they are first loaded.
  store.resourcePackages = outer.resourcePackages;
  store.resourceModules = outer.resourceModules;
  globals.globalStore = store;
  const { runtime } = sdk.pulumi;
  runtime.setMockOptions(run.monitor, run.project, run.stack, true, run.organization);
  Object.assign(store.settings.options, { engineAddr: '', rootDirectory: run.rootDirectory });
  store.callbacks = run.callbacks;
  runtime.setAllConfig({ ...run.values }, [...run.secretKeys]);
  return {
    store,
    leave: () => {
      // The SDK keeps the monitor outside of the state, too.
      runtime.resetOptions('', '', -1, '', '', false, '');
      globals.globalStore = outer;
      globals.stackResource = stackResource;
    },
  };
}
