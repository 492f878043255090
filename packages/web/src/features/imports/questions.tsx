import { Checkbox, NativeSelect } from '@mantine/core'
import type { Import } from '@caretaker/contract/imports.ts'
import type { ReferenceAnswer } from '@caretaker/rules/imports/plan.ts'
import { rowKey } from '@caretaker/rules/imports/plan.ts'
import { Card } from '../../ui/card.tsx'
import type { Acts } from './use-import.ts'
import { counted, placeText } from './words.ts'
import classes from './imports.module.css'

type Question = NonNullable<Import['found']>['questions'][number]

const open = ''

/** Rows whose reference may belong to another property, and the answer for each. */
export function QuestionsCard({ list, acts }: { list: Import; acts: Acts }) {
  const { questions, moreQuestions } = list.found!
  const { wishes } = acts
  if (questions.length === 0) return undefined
  const answer = (question: Question, choice: string) => {
    const { [rowKey(question)]: _, ...others } = wishes.references
    const references = choice === open ? others : { ...others, [rowKey(question)]: choice as ReferenceAnswer }
    void acts.wish({ references })
  }
  const all = questions.length + moreQuestions
  const aboutReferences = questions.filter(({ isAddressStored }) => !isAddressStored)
  return (
    <Card title="Is this the same property?" total={all}>
      <p className={classes.hint}>
        These rows may belong to an existing property. Rows without an answer are not imported.
        {moreQuestions > 0 && ` The first ${questions.length} are shown.`}
      </p>
      {(aboutReferences.some(({ offer }) => offer !== null) || wishes.takeOffers) && (
        <Checkbox
          className={classes.option}
          label="Use the suggested reference in all rows that have one"
          checked={wishes.takeOffers}
          onChange={(event) => void acts.wish({ takeOffers: event.currentTarget.checked })}
        />
      )}
      {(aboutReferences.some(({ written }) => written !== null) || wishes.asWritten) && (
        <Checkbox
          className={classes.option}
          label={
            wishes.takeOffers
              ? 'Import all other rows as new properties with the reference in the file'
              : 'Import all rows as new properties with the reference in the file'
          }
          checked={wishes.asWritten}
          onChange={(event) => void acts.wish({ asWritten: event.currentTarget.checked })}
        />
      )}
      {(questions.some(({ isAddressStored }) => isAddressStored) || wishes.storedAddressesAsNew) && (
        <Checkbox
          className={classes.option}
          label="Import all rows with a stored address as new properties"
          checked={wishes.storedAddressesAsNew}
          onChange={(event) => void acts.wish({ storedAddressesAsNew: event.currentTarget.checked })}
        />
      )}
      <ul className={classes.words}>
        {questions.map((question) => {
          const { value, message, offer, isStored, written } = question
          const choice = wishes.references[rowKey(question)] ?? question.answer ?? open
          return (
            <li key={rowKey(question)} data-open={choice === open || undefined}>
              <span>
                <b>{value}</b>{' '}
                <span className={classes.quiet}>
                  {placeText(question)}. {message}
                </span>
              </span>
              <NativeSelect
                aria-label={`${placeText(question)}: ${value}`}
                value={choice}
                onChange={(event) => answer(question, event.currentTarget.value)}
                data={[
                  { value: open, label: 'No answer: skip the row' },
                  ...(offer === null
                    ? []
                    : [{ value: 'offer', label: isStored ? `The same property: ${offer}` : `Read as ${offer}` }]),
                  ...(written === null ? [] : [{ value: 'written', label: `A new property: ${written}` }]),
                  { value: 'leave', label: 'Skip the row' },
                ]}
              />
            </li>
          )
        })}
      </ul>
      {moreQuestions > 0 && (
        <p className={classes.hint}>{counted(moreQuestions, 'more row', 'more rows')} with a question.</p>
      )}
    </Card>
  )
}
