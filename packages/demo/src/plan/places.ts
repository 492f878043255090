import { chanceOf, demoId, pick, whole } from '../chance.ts'

export interface Place {
  latitude: number
  longitude: number
}

interface Town extends Place {
  name: string
  county: string
  /** Outward codes of its postcodes. */
  districts: readonly string[]
}

const town = (name: string, county: string, latitude: number, longitude: number, ...districts: string[]): Town => ({
  name,
  county,
  latitude,
  longitude,
  districts,
})

const west = 'West Yorkshire'
const lincoln = 'Lincolnshire'
export const regions = {
  northgate: [
    town('Leeds', west, 53.8008, -1.5491, 'LS6', 'LS7', 'LS8', 'LS9', 'LS11', 'LS12'),
    town('Bradford', west, 53.7938, -1.7564, 'BD3', 'BD5', 'BD7', 'BD8', 'BD9'),
    town('Halifax', west, 53.7218, -1.8633, 'HX1', 'HX2', 'HX3'),
    town('Wakefield', west, 53.683, -1.4977, 'WF1', 'WF2'),
    town('Huddersfield', west, 53.6458, -1.785, 'HD1', 'HD3', 'HD4'),
  ],
  harbour: [
    town('Liverpool', 'Merseyside', 53.4084, -2.9916, 'L1', 'L3', 'L20'),
    town('Birkenhead', 'Merseyside', 53.3934, -3.0145, 'CH41', 'CH42'),
    town('Bristol', 'Bristol', 51.4545, -2.5879, 'BS1', 'BS11'),
    town('Southampton', 'Hampshire', 50.9097, -1.4044, 'SO14', 'SO15'),
  ],
  meridian: [
    town('Louth', lincoln, 53.3669, -0.0085, 'LN11'),
    town('Cleethorpes', lincoln, 53.5584, -0.0289, 'DN35'),
    town('Grimsby', lincoln, 53.5654, -0.0755, 'DN31', 'DN32'),
  ],
} as const satisfies Record<string, readonly Town[]>
export type Region = keyof typeof regions

const inward = 'ABDEFGHJLNPQRSTUWXYZ'
const streetNames =
  'Mill,Chapel,Calder,Thornhill,Weavers,Canal,Albert,Victoria,Moor,Priory,Hawthorn,Rowan,Larkfield,Beacon,Quarry,Station,Church,Orchard,Spring,Meadow,Bank,Holme,Birch,Cragg,Fountain,Gladstone,Highfield,Ivy,Kirk,Laburnum,Nab,Oakwood,Park,Raven,Sycamore,Tanner,Upland,Vicarage,Westfield,Wharf'.split(
    ',',
  )
const streetKinds = ['Road', 'Street', 'Lane', 'Close', 'Avenue', 'Rise', 'Grove', 'Terrace', 'Row', 'Fold', 'Mount']

export interface Address extends Place {
  line: string
  town: string
  county: string
  postcode: string
}

const homesInStreet = 14
/** About three kilometres, in degrees of latitude. */
const reach = 0.027

/** The address of the n-th property of a region. The streets in its towns have a dozen properties each. */
export function homeAddress(region: Region, index: number): Address {
  const street = Math.floor(index / homesInStreet)
  const chance = chanceOf(`${region} street ${street}`)
  const town = pick(chance, regions[region])
  const name = `${pick(chance, streetNames)} ${pick(chance, streetKinds)}`
  const postcode = postcodeIn(town, chance)
  const latitude = town.latitude + (chance() - 0.5) * 2 * reach
  const longitude = town.longitude + (chance() - 0.5) * 3 * reach
  const doorNumber = (index % homesInStreet) + 1
  return {
    line: `${whole(chance, 0, 8) * homesInStreet + doorNumber} ${name}`,
    town: town.name,
    county: town.county,
    postcode,
    latitude: round(latitude + doorNumber * 0.00009),
    longitude: round(longitude + doorNumber * 0.00007),
  }
}

const firstWords =
  'Kestrel,Alder,Calder,Cathedral,Riverside,Bridgegate,Beech Hill,Heron,Swift,Linden,Holly Bank,Maple,Weir,Foundry,Mill,Canal,Rowan,Elm Tree,Chapel,Quarry,Hawthorn,Priory,Northgate,Sycamore,Lark Rise,Kingfisher,Aspen,Moorview,Castle,Grange,Thornfield,Cedar,Osprey,Wainwright,Brunswick,Salem,Victoria,Albion,Clifton,Belmont,Ashgrove,Hazel,Juniper,Laurel,Magnolia,Norfolk,Oakdale,Plover,Redwing,Skylark,Tern,Upton,Valley,Willow,Yew Tree,Zetland,Bracken,Cotton'.split(
    ',',
  )
const kinds = {
  northgate: 'Court,House,Wharf,Mews,Point,Gardens,Lodge,Heights,Place,View,Green,Walk,Tower,Close'.split(','),
  harbour: 'Terminal,Warehouse,Exchange,Dock Offices,Car Park,Arena,Market,Interchange,Works,Hangar,Depot'.split(','),
  meridian: 'Library,House,Centre,Court,School,Hall,Lodge,Baths,Hub,Museum'.split(','),
} as const satisfies Record<Region, string[]>

/** The unique name of the n-th building of a region. */
export function buildingName(region: Region, index: number): string {
  const all = firstWords.length
  const kind = kinds[region]
  const round = Math.floor(index / all)
  const name = `${firstWords[index % all]!} ${kind[((index % all) * 5 + round) % kind.length]!}`
  const again = Math.floor(round / kind.length)
  return again === 0 ? name : `${name} ${again + 1}`
}

export interface DemoBuilding extends Place {
  id: string
  name: string
  address: string
  postcode: string
  floors: { id: string; number: number; name: string }[]
  /** The access rights tag of the devices in it. */
  patch: string | null
}

/** A building with its floors, whose ids are derived from its name. */
export function building(
  tenant: string,
  name: string,
  address: Pick<Address, 'line' | 'town' | 'postcode'> & Place,
  storeys: number,
  patch: string | null,
): DemoBuilding {
  return {
    id: demoId(`${tenant} building ${name}`),
    name,
    address: `${address.line}, ${address.town}`,
    postcode: address.postcode,
    latitude: address.latitude,
    longitude: address.longitude,
    patch,
    floors: Array.from({ length: storeys }, (_, number) => ({
      id: demoId(`${tenant} building ${name} floor ${number}`),
      number,
      name: number === 0 ? 'Ground floor' : `Floor ${number}`,
    })),
  }
}

/** The n-th building without a story in a region. */
export function usualBuilding(region: Region, index: number, patch: string | null): DemoBuilding {
  const chance = chanceOf(`${region} building ${index}`)
  const town = pick(chance, regions[region])
  const address = {
    line: `${pick(chance, streetNames)} ${pick(chance, streetKinds)}`,
    town: town.name,
    postcode: postcodeIn(town, chance),
    latitude: round(town.latitude + (chance() - 0.5) * 2 * reach),
    longitude: round(town.longitude + (chance() - 0.5) * 3 * reach),
  }
  return building(region, buildingName(region, index), address, whole(chance, 2, 8), patch)
}

function postcodeIn(town: Town, chance: () => number): string {
  return `${pick(chance, town.districts)} ${whole(chance, 1, 9)}${pick(chance, [...inward])}${pick(chance, [...inward])}`
}

const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6
