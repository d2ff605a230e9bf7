import type { Transforms } from './transforms';

/** A hook as far as it matters to a plan. */
interface NamedHook {
  readonly name: string;
}

/** The message that tells an engine which callback to call, and where. */
interface Callback {
  getToken(): string;
}

/** The parts of the SDK's callback server that make callbacks of transforms; as methods, they need no server. */
export interface CallbackServer {
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
