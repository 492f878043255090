import { useEffect, useRef } from 'react'
import { CloseButton } from '@mantine/core'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { Row } from './map-list.tsx'
import { idOf, wordOf, type Shown } from './shown.ts'
import classes from './maps.module.css'

interface StackCardProps {
  stack: readonly Shown[]
  by: MapStatusFilter
  onChoose: (one: Shown) => void
  onClose: () => void
}

/** The items of a stack as a list, one of which can be selected. */
export function StackCard({ stack, by, onChoose, onClose }: StackCardProps) {
  const title = `${stack.length.toLocaleString('en-GB')} ${wordOf(stack)} on this spot`
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => list.current?.querySelector('button')?.focus(), [])
  return (
    <section className={classes.card} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <CloseButton aria-label="Close" onClick={onClose} />
      </header>
      <ul ref={list} className={classes.rows} aria-label={title}>
        {stack.map((one) => (
          <li key={idOf(one)}>
            <button type="button" onClick={() => onChoose(one)}>
              <Row one={one} by={by} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
