import { NativeSelect } from '@mantine/core'
import type { Import } from '@caretaker/contract/imports.ts'
import { dayOrders } from '@caretaker/rules/imports/days.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import { fieldOf } from '@caretaker/rules/imports/fields.ts'
import { farPlaceAnswers } from '@caretaker/rules/postcodes/far-places.ts'
import { Card } from '../../ui/card.tsx'
import type { Acts } from './use-import.ts'
import { counted, valueText } from './words.ts'
import classes from './imports.module.css'

const nothing = ''

/** The values of the list that differ from the product's, with their meaning; unmapped ones first. */
export function WordsCard({ list, acts }: { list: Import; acts: Acts }) {
  const { found } = list
  const { wishes } = acts
  const words = found!.words.toSorted((a, b) => Number(a.meaning !== null) - Number(b.meaning !== null))
  const answer = (field: FieldId, word: string, meaning: string) =>
    void acts.wish({
      answers: {
        ...wishes.answers,
        [field]: { ...wishes.answers[field], [word.toLowerCase()]: meaning === nothing ? null : meaning },
      },
    })
  return (
    <Card title="Values">
      <p className={classes.hint}>Map your values. Unmapped values leave the field unchanged.</p>
      <ul className={classes.words}>
        {words.map(({ field, word, count, meaning }) => (
          <li key={`${field} ${word}`} data-open={meaning === null || undefined}>
            <span>
              <b>{word}</b>{' '}
              <span className={classes.quiet}>
                {fieldOf(field).label}, {counted(count, 'row')}
              </span>
            </span>
            <NativeSelect
              aria-label={`Meaning of ${word} in ${fieldOf(field).label}`}
              value={answered(wishes, field, word, meaning) ?? nothing}
              onChange={(event) => answer(field, word, event.currentTarget.value)}
              data={[
                { value: nothing, label: 'None: leave the field unchanged' },
                ...choicesOf(field).map((value) => ({
                  value,
                  label: valueText(field, value) ?? value,
                })),
              ]}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const choicesOf = (field: FieldId): readonly string[] =>
  field === 'latitude' ? farPlaceAnswers : (fieldOf(field).list?.values ?? dayOrders)

/** The mapping of a value, even if the list has not been read with it yet. */
function answered({ answers }: Acts['wishes'], field: FieldId, word: string, meaning: string | null): string | null {
  const chosen = answers[field]?.[word.toLowerCase()]
  return chosen === undefined ? meaning : chosen
}
