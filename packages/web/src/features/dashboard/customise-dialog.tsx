import { useState } from 'react'
import { ActionIcon, Button, Checkbox } from '@mantine/core'
import type { WorkCase } from '@caretaker/contract/dashboard.ts'
import type { CaseChoice, WorkCaseName } from '@caretaker/rules/dashboard/worklist.ts'
import { arrange, shownCases } from '@caretaker/rules/dashboard/worklist.ts'
import { IconArrowDown, IconArrowUp } from '../../icons/index.ts'
import { CancelButton, Dialog } from '../../ui/dialog.tsx'
import { caseWords } from './case-words.ts'
import classes from './customise-dialog.module.css'

interface CustomiseProps {
  cases: readonly WorkCase[]
  choice: CaseChoice | undefined
  onChoose: (choice: CaseChoice | undefined) => void
  onClose: () => void
}

/** Changes the order of cards, and which cases are cards. Other cases keep their count in the row "Also". */
export function CustomiseDialog({ cases, choice, onChoose, onClose }: CustomiseProps) {
  const [order, setOrder] = useState<WorkCaseName[]>(() => {
    const { cards, also } = arrange(cases, choice)
    // Hidden cases keep their position.
    const rank = choice?.order ?? []
    const all = [...cards, ...also].map((one) => one.case)
    return choice ? all.toSorted((a, b) => rank.indexOf(a) - rank.indexOf(b)) : all
  })
  const [hidden, setHidden] = useState<readonly WorkCaseName[]>(choice?.hidden ?? [])
  const move = (at: number, by: number) =>
    setOrder((now) => {
      const next = [...now]
      const [name] = next.splice(at, 1)
      next.splice(at + by, 0, name!)
      return next
    })
  const save = (next: CaseChoice | undefined) => {
    onChoose(next)
    onClose()
  }
  return (
    <Dialog
      wide
      title="Customise"
      onClose={onClose}
      actions={
        <>
          <Button variant="subtle" onClick={() => save(undefined)}>
            Reset
          </Button>
          <CancelButton />
          <Button onClick={() => save({ order, hidden: [...hidden] })}>Save</Button>
        </>
      }
    >
      <p className={classes.note}>
        The first {shownCases} ticked subjects are cards. All others stand in the row “Also” with their count.
      </p>
      <ol className={classes.list}>
        {order.map((name, at) => {
          const { title, icon: Icon } = caseWords[name]
          return (
            <li key={name}>
              <Checkbox
                label={
                  <span className={classes.label}>
                    <Icon size={16} stroke={1.7} aria-hidden />
                    {title}
                  </span>
                }
                checked={!hidden.includes(name)}
                onChange={(event) => {
                  const isShown = event.currentTarget.checked
                  setHidden((now) => (isShown ? now.filter((one) => one !== name) : [...now, name]))
                }}
              />
              <span>
                <ActionIcon
                  variant="subtle"
                  size="lg"
                  aria-label={`Move ${title} up`}
                  disabled={at === 0}
                  onClick={() => move(at, -1)}
                >
                  <IconArrowUp size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  size="lg"
                  aria-label={`Move ${title} down`}
                  disabled={at === order.length - 1}
                  onClick={() => move(at, 1)}
                >
                  <IconArrowDown size={16} aria-hidden />
                </ActionIcon>
              </span>
            </li>
          )
        })}
      </ol>
    </Dialog>
  )
}
