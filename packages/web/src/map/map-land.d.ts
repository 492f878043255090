/** The address of the built-in map's land, provided by `map-land.ts`. */
declare module 'virtual:map-land' {
  const address: string
  export default address
}
