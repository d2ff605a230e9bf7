/** A hook as far as it matters to a plan. */
interface NamedHook {
  readonly name: string;
}

/**
 * Takes the place of the SDK's callback server: hooks and transforms are counted, and never called. So no port
 * is opened for an engine that isn't there.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/runtime/callbacks.ts
 */
export class RecordedCallbacks {
  /** Names of the hooks, in the order of registration. */
  public readonly hooks: string[] = [];
  /** Number of transforms, by what they would change. */
  public readonly transforms = { stack: 0, resource: 0, invoke: 0 };

  /** @param makeCallback makes the message that would tell an engine where to call */
  public constructor(private readonly makeCallback: () => object) {}

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

  public registerTransform(): Promise<object> {
    this.transforms.resource += 1;
    return Promise.resolve(this.makeCallback());
  }

  public registerStackTransform(): void {
    this.transforms.stack += 1;
  }

  public registerStackInvokeTransform(): void {
    this.transforms.invoke += 1;
  }

  public awaitStackRegistrations(): Promise<void> {
    return Promise.resolve();
  }

  public shutdown(): void {
    // Nothing was opened.
  }
}
