import type { FastifyInstance } from 'fastify'
import { getEquipmentLists, getProductNames } from '@caretaker/contract/products.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import { equipmentLists } from '@caretaker/rules/lighting/equipment.ts'
import { servePerson, serveTenant } from '../../http/serve.ts'
import { ownEquipmentLists } from './store.ts'

export function productRoutes(app: FastifyInstance): void {
  servePerson(app, getProductNames, async () => ({
    results: Object.entries(products).map(([productCode, { name }]) => ({ productCode, name })),
  }))

  serveTenant(app, getEquipmentLists, async ({ tx }) => success(equipmentLists(await ownEquipmentLists(tx))))
}
