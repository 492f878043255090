import type { Role } from '../identity/roles.ts'
import type { Product } from './products.ts'

const lighting: readonly Product[] = ['EM', 'EL']
const boilers: readonly Product[] = ['BC', 'BX']
const everything: readonly Product[] = [...boilers, ...lighting, 'MG', 'ZG', 'ZR']

/**
 * The device visibility list of each role (core specification, section 6). It restricts screens with several kinds of
 * devices, such as the map and the filters of reports; everything else depends on areas (core gaps A12).
 */
const visibleProducts: Readonly<Record<Role, readonly Product[]>> = {
  LightingEngineer: lighting,
  BoilerEngineer: boilers,
  Manager: everything,
  Guest: everything,
  Admin: everything,
  Developer: everything,
}

/** Whether the role's visibility list contains the product. */
export const isVisible = (role: Role, product: Product): boolean => visibleProducts[role].includes(product)
