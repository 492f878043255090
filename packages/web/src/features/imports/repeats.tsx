import { Radio } from '@mantine/core'
import type { Import } from '@caretaker/contract/imports.ts'
import { fieldIds, fieldOf } from '@caretaker/rules/imports/fields.ts'
import { Card } from '../../ui/card.tsx'
import type { Acts } from './use-import.ts'
import { placeText, valueText } from './words.ts'
import classes from './imports.module.css'

type Repeat = NonNullable<Import['found']>['repeats'][number]

/** Properties that several rows name with different values: the rows and the stored values, one of which is chosen. */
export function RepeatsCard({ list, acts }: { list: Import; acts: Acts }) {
  const { repeats } = list.found!
  if (repeats.length === 0) return undefined
  return (
    <Card title="Repeated references" total={repeats.length}>
      <p className={classes.hint}>
        Several rows have the same reference with different values. The first row is used unless you choose another row
        or the stored values.
      </p>
      {repeats.map((repeat) => (
        <Choice key={repeat.key} repeat={repeat} acts={acts} />
      ))}
    </Card>
  )
}

function Choice({ repeat: { key, name, stored, rows }, acts }: { repeat: Repeat; acts: Acts }) {
  const { chosenRows } = acts.wishes
  const given = chosenRows[key]
  const chosen = given === undefined ? rows[0] : given
  const choose = (one: { sheet: string; row: number } | null) =>
    void acts.wish({ chosenRows: { ...chosenRows, [key]: one && { sheet: one.sheet, row: one.row } } })
  const sides = [
    ...(stored ? [{ label: 'Keep the stored values', row: null, values: stored }] : []),
    ...rows.map((row) => ({ label: placeText(row), row, values: row.values })),
  ]
  const fields = fieldIds.filter((id) => id !== 'propertyReference' && sides.some(({ values }) => id in values))
  const texts = (id: (typeof fields)[number]) => sides.map(({ values }) => valueText(id, values[id]) ?? 'empty')
  return (
    <div className={classes.scroll} role="radiogroup" aria-label={`Rows of ${name}`}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {sides.map(({ label, row }) => (
              <th key={label} scope="col">
                <Radio
                  label={label}
                  name={key}
                  disabled={acts.busy}
                  checked={row ? chosen?.sheet === row.sheet && chosen.row === row.row : chosen === null}
                  onChange={() => choose(row)}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fields.map((id) => {
            const all = texts(id)
            const isSame = new Set(all).size === 1
            return (
              <tr key={id}>
                <th scope="row">{fieldOf(id).label}</th>
                {all.map((text, at) => (
                  <td key={sides[at]!.label} data-label={sides[at]!.label}>
                    {isSame ? <span className={classes.quiet}>{text}</span> : <b>{text}</b>}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
