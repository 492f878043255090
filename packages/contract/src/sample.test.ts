import assert from 'node:assert/strict'
import { test } from 'vitest'
import { z } from 'zod'
import { routes } from './routes.ts'
import { sampleOf } from './sample.ts'

for (const [name, { reply }] of Object.entries(routes).filter(([, route]) => route.reply))
  test(`the example response of ${name} matches its schema`, () => {
    const shape = reply as z.ZodType
    const { $defs = {}, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
    const read = shape.safeParse(sampleOf(schema, $defs))
    assert.ok(read.success, read.error && z.prettifyError(read.error))
  })
