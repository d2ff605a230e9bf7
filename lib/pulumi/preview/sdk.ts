import type * as pulumi from '@pulumi/pulumi';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InvalidInput } from '../../core/validation/problems';
import type { TransformMessages, Transforms } from './transforms';

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

/** A hook as far as it matters to a plan. */
interface NamedHook {
  readonly name: string;
}

/** The message that tells an engine which callback to call, and where. */
interface Callback {
  getToken(): string;
}

/** The parts of the SDK's callback server that make callbacks of transforms; as methods, they need no server. */
interface CallbackServer {
  registerTransform(transform: unknown): Promise<Callback>;
  registerStackTransform(transform: unknown): void;
  awaitStackRegistrations(): Promise<void>;
}

/**
 * Takes the place of the SDK's callback server: transforms of resources are kept, for the preview to run them; hooks and
 * transforms of invokes are counted, and never called. So no port is opened for an engine that isn't there.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/runtime/callbacks.ts
 */
export class RecordedCallbacks {
  /** Names of the hooks, in the order of registration. */
  public readonly hooks: string[] = [];
  /** Number of transforms that are not run, by what they would change. */
  public readonly transforms = { stack: 0, resource: 0, invoke: 0 };

  private readonly server: CallbackServer;

  /**
   * @param methods of the SDK's callback server
   * @param transforms runs what is registered here
   */
  public constructor(methods: CallbackServer, transforms: Transforms) {
    this.server = Object.assign(Object.create(methods) as CallbackServer, {
      _callbacks: transforms.callbacks,
      _target: Promise.resolve(''),
      _pendingRegistrations: 0,
      _awaitQueue: [],
      _monitor: {
        registerStackTransform: (callback: Callback, done: (error: null, reply: object) => void) => {
          transforms.ofStack.push(callback.getToken());
          done(null, {});
        },
      },
    });
  }

  public registerResourceHook(hook: NamedHook): Promise<void> {
    // The engine refuses a second hook of one name.
    if (this.hooks.includes(hook.name)) {
      return Promise.reject(new Error(`two hooks have the name "${hook.name}"`));
    }
    this.hooks.push(hook.name);
    return Promise.resolve();
  }

  public registerErrorHook(hook: NamedHook): Promise<void> {
    return this.registerResourceHook(hook);
  }

  public registerTransform(transform: unknown): Promise<object> {
    return this.server.registerTransform(transform);
  }

  public registerStackTransform(transform: unknown): void {
    this.server.registerStackTransform(transform);
  }

  public registerStackInvokeTransform(): void {
    this.transforms.invoke += 1;
  }

  public awaitStackRegistrations(): Promise<void> {
    return this.server.awaitStackRegistrations();
  }

  public shutdown(): void {
    // Nothing was opened.
  }
}

/** The SDK's module that watches for promises that never resolve. */
export interface Debuggable {
  debuggablePromise: <T>(promise: Promise<T>, context: unknown) => Promise<T>;
}

/**
 * Keeps the SDK from recording a stack trace for each of its promises, four for every output. They would serve a
 * report of pending promises, which a preview makes from the resources themselves; without them a large program
 * takes a third of the time (measured with 1,000 clusters).
 *
 * @returns a function that takes it back
 */
export function withoutPromiseTraces(debuggable: Debuggable): () => void {
  const { debuggablePromise } = debuggable;
  debuggable.debuggablePromise = (promise) => promise;
  return () => {
    debuggable.debuggablePromise = debuggablePromise;
  };
}

/** The SDK's class of resources, which tells an engine from which line of the program each one comes. */
export interface LocatesResources {
  callsites?: () => unknown[];
}

/**
 * Keeps the SDK from making a stack trace, mapped to the sources, for each resource: no plan holds it, and it is a
 * fifth of the time that a large program takes.
 *
 * @returns a function that takes it back
 */
export function withoutSourcePositions(resource: LocatesResources): () => void {
  const { callsites } = resource;
  if (callsites === undefined) {
    return () => undefined;
  }
  resource.callsites = () => [];
  return () => {
    resource.callsites = callsites;
  };
}
