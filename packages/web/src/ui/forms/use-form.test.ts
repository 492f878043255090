import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { createFormControl } from 'react-hook-form'
import { z } from 'zod'
import { formResolver } from './use-form.ts'

const schema = z.object({
  name: z.string().max(5, 'Too long'),
  floor: z.number().min(0, 'Below ground'),
  note: z.string().regex(/^[a-z]*$/, 'Small letters only'),
})
type Values = z.infer<typeof schema>
const faults: Record<keyof Values, (values: Values) => boolean> = {
  name: ({ name }) => name.trim() === '' || name.length > 5,
  floor: ({ floor }) => floor < 0,
  note: ({ note }) => !/^[a-z]*$/.test(note),
}

async function stateOf(defaultValues: Values): Promise<{ isValid: boolean; wrong: string[] }> {
  const { control, trigger } = createFormControl<Values>({
    resolver: formResolver(schema, { name: true }),
    defaultValues,
    mode: 'all',
  })
  const seen: { isValid?: boolean | undefined; errors?: object | undefined } = {}
  control._subscribe({
    formState: { isValid: true, errors: true },
    callback: ({ isValid, errors }) => Object.assign(seen, isValid === undefined ? { errors } : { isValid, errors }),
  })
  await trigger()
  return { isValid: seen.isValid === true, wrong: Object.keys(control._formState.errors) }
}

test('a form is valid exactly while no field has an error [core-5-6]', async () => {
  const values = fc.record({
    name: fc.constantFrom('', '  ', 'Alder', 'Alder House'),
    floor: fc.constantFrom(-1, 0, 3),
    note: fc.constantFrom('', 'ok', 'NOT OK'),
  })
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      const expected = (Object.keys(faults) as (keyof Values)[]).filter((field) => faults[field](given))
      const { isValid, wrong } = await stateOf(given)
      assert.deepEqual(wrong.sort(), expected.sort())
      assert.equal(isValid, expected.length === 0)
    }),
  )
})
