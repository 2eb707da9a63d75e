// The part `live`: keeps the rows of the page as the service has them. It imports nothing that another part has.
export { LiveRows } from './live/live-rows.tsx'
