import type { Clock } from '../../core/async';
import type { AwsClients } from '../../core/aws/clients';
import type { AllowStatement } from '../../core/aws/iam';
import type { HttpClient } from '../../core/http';
import type { SecretReader } from '../../core/secret-source';
import type { Problem, PlainObject } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import type { Router, ShiftSubject, Weights } from '../engine';

/**
 * A kind of router: all that differs from one to the next. The plan file's schema, its problems, permissions and checks
 * read from it.
 *
 * @typeParam Settings what stands under its key in a plan file
 * @typeParam Field key of what a plan file says of each slot
 */
export interface RouterKind<Settings = unknown, Field extends string = string> {
  /** What holds the weights, on one line, for documents and schemas: `weighted records of Route 53`. */
  readonly title: string;
  /** What stands under its key in a plan file. Where every key may be left out, so may the settings. */
  readonly settings: Schema<Settings>;
  /** What a plan file says of each slot, beside its cluster. @default - nothing */
  readonly slot?: SlotField<Field>;
  /** Where weights act: on requests, on connections, on answers of DNS. */
  readonly layer: ShiftSubject['layer'];
  /**
   * The least permissions that its calls to AWS need.
   *
   * @default - its weights are not in AWS: it needs none, and a plan has no lease unless it names one
   */
  permissions?(settings: Settings): readonly AllowStatement[];
  /** Whether its weights are in this process alone, to try a plan. @default false */
  readonly isInProcess?: boolean;
  /**
   * What settings and slots say together. It is asked also where some of them are wrong, so each has to be looked at with
   * care.
   *
   * @param slots what each slot says in {@link slot}, by its name; unset where it says nothing
   * @default - nothing
   */
  together?(settings: PlainObject, slots: PlainObject): TogetherProblems;
  /**
   * Opens it, and asks nobody yet.
   *
   * @param slots what each slot says in {@link slot}, by its name; empty where it says nothing
   */
  open(settings: Settings, slots: Readonly<Record<string, string>>, context: RouterContext): OpenRouter;
}

/** What a plan file says of each slot. */
export interface SlotField<Field extends string = string> {
  /** Its key: `targetGroupArn`. */
  readonly field: Field;
  /** What it is, on one line, for documents and schemas. */
  readonly title: string;
  /** What it has to look like. */
  readonly value: Schema<string>;
  /** Whether a slot may leave it out; else no two slots have the same. @default false */
  readonly isOptional?: boolean;
}

/** Problems of settings and slots together. */
export interface TogetherProblems {
  /** With paths within the settings. */
  readonly settings?: readonly Problem[];
  /** With names of slots for paths. */
  readonly slots?: readonly Problem[];
}

/** What a router is opened with. */
export interface RouterContext {
  /** How AWS is called. @default - clients of the region and the role that its settings name */
  readonly clients?: AwsClients;
  /** How services other than AWS are asked. @default - by Node.js's own HTTP */
  readonly http?: HttpClient;
  /** Where their tokens are read. @default - the environment and the files of this process */
  readonly secrets?: SecretReader;
  /** How long ago it has looked, before it writes. @default - the clocks of this machine */
  readonly clocks?: LookClocks;
  /** The time that it waits for what takes its time. @default - the time of this machine */
  readonly clock?: Clock;
  /**
   * Whether a write waits until all the world sees it, as that of DNS records does: for their servers, and for resolvers that
   * keep an answer. @default true
   */
  readonly awaitsPropagation?: boolean;
  /** Weights that the shift ends at. @default - not known */
  readonly wanted?: Weights;
  /** Tells routers apart that have no name of their own: the name of the plan's file. @default - nothing does */
  readonly instance?: string;
}

/** Two clocks, in milliseconds: each sees what the other does not. */
export interface LookClocks {
  /** The time of day, which goes on while the machine is suspended, and may be set. */
  wall(): number;
  /** It only goes forward, and stands still while the machine is suspended. */
  monotonic(): number;
}

/** A router that can be asked. */
export interface OpenRouter extends Router {
  /** What it is about, the same for every run: an ARN, or zone, name and type. A lease's name is made of it. */
  readonly id: string;
  /** What is shifted, for checks. */
  readonly subject: ShiftSubject;

  /**
   * What stands there now, also where {@link Router.read} refuses it.
   *
   * @throws RouterError
   */
  describe(signal?: AbortSignal): Promise<RouterDescription>;

  /**
   * What a step has to wait for.
   *
   * @throws RouterError
   */
  minimumWait(signal?: AbortSignal): Promise<MinimumWait>;

  /**
   * The same router, whose first look puts slots that are to get traffic, and are not there yet, there with weight 0: a
   * target group that is on no rule has no health, so that no check could ever let it have its first percent. It changes
   * no weights.
   *
   * @param wanted weights that the shift ends at
   */
  withMissingTargets(wanted: Weights): Router;

  /**
   * Takes a slot without traffic off, so that AWS lets what stands there be deleted. The weights stay.
   *
   * @throws RouterError where the slot has traffic
   * @default - what is there can be deleted as it is
   */
  takeOff?(slot: string, signal?: AbortSignal): Promise<void>;
}

/** Weights on any scale, by slot. */
export type RawWeights = Readonly<Record<string, number>>;

/** What a router found, in plain data. */
export interface RouterDescription {
  /** The router, as messages name it. */
  readonly name: string;
  /** The live weights; `null` where a shift can't work on them, and the notes say why. */
  readonly weights: Weights | null;
  /** Weights of every slot, on any scale. @default - what is there has none, and the notes say why */
  readonly raw?: RawWeights;
  /**
   * Slots that are not there yet and read as 0. Writing the weights as they are puts them there: a target group's health is
   * `unused` until then.
   */
  readonly missing: readonly string[];
  /** A line each: what every write keeps as it is, what is in the way. */
  readonly notes: readonly string[];
}

/** How long it takes until users see new weights. */
export interface MinimumWait {
  /** How long the weights of a step have to stand after they were written, in milliseconds. */
  readonly milliseconds: number;
  /** How long a write itself takes at least before it answers, in milliseconds. */
  readonly writeMilliseconds: number;
  /** A line for each thing that takes time. */
  readonly because: readonly string[];
}
