/** A place on the National Grid of Great Britain, in metres. */
export interface GridPlace {
  east: number
  north: number
}

// 'A guide to coordinate systems in Great Britain' (Ordnance Survey), annexes A to C and section 6.6.
const airy = { a: 6_377_563.396, b: 6_356_256.909 }
const wgs84 = { a: 6_378_137, b: 6_356_752.3142 }
const scale = 0.999_601_271_7
const origin = { lat: (49 * Math.PI) / 180, lng: (-2 * Math.PI) / 180, east: 400_000, north: -100_000 }
const seconds = Math.PI / 180 / 3600
/** From OSGB36 to WGS 84: metres, parts, radians. Accurate to about 5 metres. */
const shift = {
  ...{ x: 446.448, y: -125.157, z: 542.06, part: -20.4894e-6 },
  ...{ turnX: 0.1502 * seconds, turnY: 0.247 * seconds, turnZ: 0.8421 * seconds },
}

const squared = ({ a, b }: { a: number; b: number }) => (a * a - b * b) / (a * a)

/** Metres of meridian from the true origin to a latitude. */
function meridian(lat: number): number {
  const { a, b } = airy
  const n = (a - b) / (a + b)
  const [less, more] = [lat - origin.lat, lat + origin.lat]
  return (
    b *
    scale *
    ((1 + n + 1.25 * n ** 2 + 1.25 * n ** 3) * less -
      (3 * n + 3 * n ** 2 + 2.625 * n ** 3) * Math.sin(less) * Math.cos(more) +
      1.875 * (n ** 2 + n ** 3) * Math.sin(2 * less) * Math.cos(2 * more) -
      (35 / 24) * n ** 3 * Math.sin(3 * less) * Math.cos(3 * more))
  )
}

/** Radians on the ellipsoid of OSGB36. */
function onAiry({ east, north }: GridPlace): { lat: number; lng: number } {
  const { a } = airy
  let lat = origin.lat + (north - origin.north) / (a * scale)
  for (let rest = 1; Math.abs(rest) > 1e-5;) {
    rest = north - origin.north - meridian(lat)
    lat += rest / (a * scale)
  }
  const e2 = squared(airy)
  const bend = 1 - e2 * Math.sin(lat) ** 2
  const nu = (a * scale) / Math.sqrt(bend)
  const rho = (a * scale * (1 - e2)) / bend ** 1.5
  const eta2 = nu / rho - 1
  const tan = Math.tan(lat)
  const sec = 1 / Math.cos(lat)
  const aside = east - origin.east
  return {
    lat:
      lat -
      (tan / (2 * rho * nu)) * aside ** 2 +
      (tan / (24 * rho * nu ** 3)) * (5 + 3 * tan ** 2 + eta2 - 9 * tan ** 2 * eta2) * aside ** 4 -
      (tan / (720 * rho * nu ** 5)) * (61 + 90 * tan ** 2 + 45 * tan ** 4) * aside ** 6,
    lng:
      origin.lng +
      (sec / nu) * aside -
      (sec / (6 * nu ** 3)) * (nu / rho + 2 * tan ** 2) * aside ** 3 +
      (sec / (120 * nu ** 5)) * (5 + 28 * tan ** 2 + 24 * tan ** 4) * aside ** 5,
  }
}

/** A National Grid place in degrees of WGS 84, accurate to about 5 metres. */
export function ofGrid(place: GridPlace): { lat: number; lng: number } {
  const { lat, lng } = onAiry(place)
  const nu = airy.a / Math.sqrt(1 - squared(airy) * Math.sin(lat) ** 2)
  const from = {
    x: nu * Math.cos(lat) * Math.cos(lng),
    y: nu * Math.cos(lat) * Math.sin(lng),
    z: (1 - squared(airy)) * nu * Math.sin(lat),
  }
  const { part, turnX, turnY, turnZ } = shift
  const x = shift.x + (1 + part) * from.x - turnZ * from.y + turnY * from.z
  const y = shift.y + turnZ * from.x + (1 + part) * from.y - turnX * from.z
  const z = shift.z - turnY * from.x + turnX * from.y + (1 + part) * from.z
  const e2 = squared(wgs84)
  const flat = Math.hypot(x, y)
  let latitude = Math.atan2(z, flat * (1 - e2))
  for (let round = 0; round < 5; round++) {
    const radius = wgs84.a / Math.sqrt(1 - e2 * Math.sin(latitude) ** 2)
    latitude = Math.atan2(z + e2 * radius * Math.sin(latitude), flat)
  }
  return { lat: (latitude * 180) / Math.PI, lng: (Math.atan2(y, x) * 180) / Math.PI }
}
