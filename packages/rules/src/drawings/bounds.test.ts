import assert from 'node:assert/strict'
import { test } from 'vitest'
import { boundsOf, joined, matrixOf, movedBy } from './bounds.ts'
import { frameOf, pixelsOf, viewBoxOf } from './lengths.ts'

const box = (element: string, attributes: Record<string, string>) => {
  const found = boundsOf(element, (name) => attributes[name])
  return found && [found.left, found.top, found.right, found.bottom].map((side) => Math.round(side * 100) / 100)
}

test('the box of a shape is calculated', () => {
  assert.deepEqual(box('rect', { x: '1', y: '2', width: '30', height: '1in' }), [1, 2, 31, 98])
  assert.deepEqual(box('circle', { cx: '5', cy: '5', r: '3' }), [2, 2, 8, 8])
  assert.deepEqual(box('ellipse', { rx: '2', ry: '3' }), [-2, -3, 2, 3])
  assert.deepEqual(box('line', { x1: '4', y1: '1', x2: '2', y2: '9' }), [2, 1, 4, 9])
  assert.deepEqual(box('polygon', { points: '0,0 10 5,-2,7' }), [-2, 0, 10, 7])
  assert.deepEqual(box('text', { x: '10', y: '50', 'font-size': '20px' }), [10, 30, 30, 50])
  // A percentage has no size of its own.
  for (const none of [
    { width: '100%', height: '100%' },
    { width: '0', height: '9' },
  ])
    assert.equal(box('rect', none), undefined)
  assert.equal(box('g', {}), undefined)
})

test('the box of a path is calculated', () => {
  const cases: [string, number[]][] = [
    ['M10 10h20v5H5z', [5, 10, 30, 15]],
    ['m10,10 20,0 0,5z m1 1 2 2', [10, 10, 30, 15]],
    ['M0 0C0 10 20 10 20 0S40-10 40 0', [0, -10, 40, 10]],
    ['M0,0q5,9 10,0t10 0', [0, 0, 20, 9]],
    // Half a circle, with flags that are not separated.
    ['M0 0a5 5 0 0110 0', [0, -5, 10, 0]],
    ['M0 0A5 5 0 0 0 10 0', [0, 0, 10, 5]],
    ['M.5.5-1-1', [-1, -1, 0.5, 0.5]],
    ['M1e1 0L0 1E1', [0, 0, 10, 10]],
  ]
  for (const [d, expected] of cases) assert.deepEqual(box('path', { d }), expected, d)
  for (const d of ['', 'nonsense', 'M', 'M1']) assert.equal(box('path', { d }), undefined, d)
})

test('boxes are transformed and joined', () => {
  const unit = { left: 0, top: 0, right: 1, bottom: 2 }
  const moved = (transform: string) => {
    const { left, top, right, bottom } = movedBy(matrixOf(transform), unit)!
    return [left, top, right, bottom].map((side) => Math.round(side * 100) / 100)
  }
  assert.deepEqual(moved('translate(5 6)'), [5, 6, 6, 8])
  assert.deepEqual(moved('scale(2)'), [0, 0, 2, 4])
  assert.deepEqual(moved('translate(5,0) scale(2, -1)'), [5, -2, 7, 0])
  assert.deepEqual(moved('rotate(90)'), [-2, 0, 0, 1])
  assert.deepEqual(moved('rotate(180 1 1)'), [1, 0, 2, 2])
  assert.deepEqual(moved('matrix(1 0 0 1 3 4)'), [3, 4, 4, 6])
  assert.deepEqual(moved('skewX(45)'), [0, 0, 3, 2])
  assert.deepEqual(moved('nonsense(1)'), [0, 0, 1, 2])
  assert.deepEqual(joined([unit, undefined, { left: -1, top: 1, right: 0, bottom: 5 }]), {
    left: -1,
    top: 0,
    right: 1,
    bottom: 5,
  })
  assert.equal(joined([undefined]), undefined)
})

test('lengths are converted to pixels, 96 to the inch', () => {
  for (const [text, pixels] of [
    ['1in', 96],
    ['25.4mm', 96],
    ['2.54 cm', 96],
    ['72pt', 96],
    ['6pc', 96],
    ['101.6Q', 96],
    ['96', 96],
    ['+.5e1px', 5],
  ] as const)
    assert.equal(Math.round(pixelsOf(text)! * 1e6) / 1e6, pixels, text)
  for (const text of ['50%', 'auto', '', '1x', undefined]) assert.equal(pixelsOf(text), undefined)
  assert.deepEqual(frameOf(' -1,-2 3e1 40 '), { x: -1, y: -2, width: 30, height: 40 })
  for (const none of ['0 0 400', '0 0 0 9', '0 0 -1 9', 'a b c d', '', '1 2 3 4 5', undefined])
    assert.equal(frameOf(none), undefined)
  assert.equal(viewBoxOf({ x: 0, y: -0.5, width: 1122.519685, height: 10 }), '0 -0.5 1122.52 10')
})
