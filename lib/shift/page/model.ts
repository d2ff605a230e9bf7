import type { PagePlaces } from './guard';
import type { LinkContent } from './link';
import type { PageControls, PageRoute } from './view';

/** All that a page is answered from. */
export interface PageModel {
  /** What is shifted: `Traffic shift of plan.yaml`. */
  readonly title: string;
  /** Who runs it: user and machine. */
  readonly by: string;
  /** Its shifts. */
  readonly routes: readonly PageRoute[];
  /** How often any of it has changed. */
  readonly revision: number;
  readonly places: PagePlaces;
  /** Who knows it may act. */
  readonly token: string;
  /** Header of a proxy that names the person. @default - none is trusted */
  readonly approverHeader?: string;
  readonly controls?: PageControls;
  /** Signed links. @default - there are none */
  readonly links?: LinkModel;
  /** A random text, another one for each request. */
  readonly nonce: string;
}

/** What signed links are read with. */
export interface LinkModel {
  readonly key: string;
  /** Id of a route's shift; `undefined` before that has begun. */
  readonly shiftOf: (route: PageRoute) => string | undefined;
  /** Ids of links that have been used. */
  readonly used: ReadonlySet<string>;
  /** Whether it is the newest one that this run has sent for its route: each pause has another one. */
  readonly isNewest: (link: LinkContent) => boolean;
}
