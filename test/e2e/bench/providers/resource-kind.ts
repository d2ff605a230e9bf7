/** Property values as they go over the wire: plain JSON, secrets unwrapped. */
export type Properties = Record<string, any>;

/** Which resource is meant. */
export interface ResourceRequest {
  readonly urn: string;
  /** Its name in the program. */
  readonly name: string;
  readonly type: string;
}

/** A resource that was made. */
export interface Made {
  readonly id: string;
  /** What the provider adds to the inputs. */
  readonly outputs: Properties;
}

/** How one type of resource is made, changed and taken away. */
export interface ResourceKind {
  /** Paths of the properties that can't be changed: another value means another resource. */
  readonly fixed?: readonly string[];
  /** A property that is given a unique name where the program leaves it out. */
  readonly autoName?: string;
  create(inputs: Properties, resource: ResourceRequest): Promise<Made>;
  /** Answers what the provider adds to the new inputs, over what it added before. */
  update?(id: string, inputs: Properties, before: Properties): Promise<Properties>;
  /** Properties that `read` finds and that a program sets: a refresh and an import take them as inputs. @default [] */
  readonly inputs?: readonly string[];
  /** Answers the outputs as they are now, or `undefined` where the resource is gone. */
  read?(id: string, before: Properties): Promise<Properties | undefined>;
  delete?(id: string, before: Properties): Promise<void>;
}

/** A provider of ordinary resources. */
export interface CustomProvider {
  /** Takes the configuration; answers when the first call may come. */
  configure(configuration: Properties): void;
  /** The kind behind a type; throws for a type that the test provider doesn't know. */
  kind(type: string): ResourceKind;
  /** Answers other inputs in the place of a resource's own. @default - they stay as they are */
  check?(before: Properties, inputs: Properties): Promise<Properties>;
  /** Answers a function call. */
  invoke?(token: string, args: Properties): Promise<Properties>;
}
