import { z } from 'zod'
import { inTenant } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/products.ts'

export const getProductNames = route({
  ...calls.getProductNames,
  summary: 'Every product with its code, which starts its serial numbers.',
  reply: z.object({ results: z.array(z.object({ productCode: z.string(), name: z.string() })) }),
})

/** Choices for editing emergency lighting equipment. Voltages in V, capacities in Ah. */
export const EquipmentLists = z
  .object({
    inverterTypes: z.array(z.string()),
    lampTypes: z.array(z.string()),
    batteryTypes: z.array(z.string()),
    batteryCapacity: z.array(z.number()),
    batteryVoltage: z.array(z.number()),
  })
  .meta({ id: 'EquipmentLists' })

export const getEquipmentLists = route({
  ...calls.getEquipmentLists,
  summary: 'The lists of lamp, inverter and battery types, capacities and voltages.',
  body: inTenant,
  reply: envelope(EquipmentLists),
})
