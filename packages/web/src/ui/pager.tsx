import type { ReactNode } from 'react'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft, IconChevronsRight } from '@tabler/icons-react'
import { clampPage, pageCount, pagerWindow, rangeText, slidingWindow } from '@caretaker/rules/views/pager.ts'
import classes from './pager.module.css'

interface PagerProps {
  /** From 1. */
  page: number
  pageSize: number
  /** Rows over all pages; undefined while it is not known. */
  total: number | undefined
  onPage: (page: number) => void
  /** First and last as controls of their own, as the generic table has them: the numbers slide with the page. */
  ends?: boolean
}

/** Which rows are shown, and the way to the others: numbered pages, on a phone 'p of n'. */
export function Pager({ page, pageSize, total, onPage, ends = false }: PagerProps) {
  const pages = pageCount(total ?? 0, pageSize)
  const current = clampPage(page, pages)
  return (
    <div className={classes.pager}>
      <span className={classes.range}>{total !== undefined && rangeText(current, pageSize, total)}</span>
      {(pages > 1 || ends) && (
        <nav className={classes.pages} aria-label="Pages">
          {ends && (
            <Step label="First page" disabled={current === 1} onPress={() => onPage(1)}>
              <IconChevronsLeft size={16} aria-hidden />
            </Step>
          )}
          <Step label="Previous page" disabled={current === 1} onPress={() => onPage(current - 1)}>
            <IconChevronLeft size={16} aria-hidden />
          </Step>
          <ol className={classes.numbers}>
            {(ends ? slidingWindow(current, pages) : pagerWindow(current, pages)).map((place, index) => (
              <li key={place === 'gap' ? `gap-${index}` : place}>
                {place === 'gap' ? (
                  <span className={classes.gap} aria-hidden>
                    …
                  </span>
                ) : (
                  <button
                    type="button"
                    className={classes.button}
                    aria-label={`Page ${place}`}
                    aria-current={place === current ? 'page' : undefined}
                    onClick={() => onPage(place)}
                  >
                    {place}
                  </button>
                )}
              </li>
            ))}
          </ol>
          <span className={classes.short}>
            {current} of {pages}
          </span>
          <Step label="Next page" disabled={current === pages} onPress={() => onPage(current + 1)}>
            <IconChevronRight size={16} aria-hidden />
          </Step>
          {ends && (
            <Step label="Last page" disabled={current === pages} onPress={() => onPage(pages)}>
              <IconChevronsRight size={16} aria-hidden />
            </Step>
          )}
        </nav>
      )}
    </div>
  )
}

interface StepProps {
  label: string
  disabled: boolean
  onPress: () => void
  children: ReactNode
}

function Step({ label, disabled, onPress, children }: StepProps) {
  return (
    <button type="button" className={classes.button} aria-label={label} disabled={disabled} onClick={onPress}>
      {children}
    </button>
  )
}
