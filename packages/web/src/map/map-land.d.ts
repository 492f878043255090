/** The address of the land of the built-in map, provided by `map-land.ts`. */
declare module 'virtual:map-land' {
  const address: string
  export default address
}
