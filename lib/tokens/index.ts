export { hasMarker, marker, markerNumber, splitAtMarkers } from './marker';
export { allMarkers, misplacedMarkers, strings } from './misplaced';
export type { MisplacedMarker } from './misplaced';
