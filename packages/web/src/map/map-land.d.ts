/** The address of the land of the built-in map; written by `map-land.ts` beside the folder of sources. */
declare module 'virtual:map-land' {
  const address: string
  export default address
}
