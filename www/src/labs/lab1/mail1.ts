import { gain, mean, sampleDeviation } from "../../measure/statistics";

/** The two queries of mail 1 (Julien Tachoires, "Qual push down to table AM"). */
export const CASES = [
  { id: 1, condition: "i = 50000", sql: "SELECT COUNT(*) FROM t WHERE i = 50000;", answer: (_rows: number) => 1 },
  { id: 2, condition: "i >= 2", sql: "SELECT COUNT(*) FROM t WHERE i >= 2;", answer: (rows: number) => rows - 1 },
] as const;
export type CaseId = (typeof CASES)[number]["id"];

export interface PublishedRuns {
  case: CaseId;
  rows: number;
  head: [number, number, number];
  patch: [number, number, number];
}

/** Milliseconds as published, three runs each. */
export const PUBLISHED: PublishedRuns[] = [
  { case: 1, rows: 1_000_000, head: [38.903, 39.239, 39.015], patch: [21.308, 21.271, 21.958] },
  { case: 1, rows: 10_000_000, head: [365.707, 364.206, 365.434], patch: [155.429, 153.127, 154.498] },
  { case: 1, rows: 100_000_000, head: [3939.937, 3872.37, 3812.382], patch: [1564.182, 1527.988, 1525.535] },
  { case: 2, rows: 1_000_000, head: [68.422, 69.237, 69.579], patch: [81.233, 80.868, 80.418] },
  { case: 2, rows: 10_000_000, head: [674.397, 682.976, 676.072], patch: [778.427, 774.417, 791.465] },
  { case: 2, rows: 100_000_000, head: [6845.165, 6533.091, 6917.964], patch: [8071.627, 7668.477, 7916.182] },
];

/** The mail's arithmetic over two times three runs. */
export interface MailFigures {
  headAverage: number;
  headDeviation: number;
  patchAverage: number;
  patchDeviation: number;
  gain: number;
}

export function mailArithmetic(head: readonly number[], patch: readonly number[]): MailFigures {
  const headAverage = mean(head);
  const patchAverage = mean(patch);
  return {
    headAverage,
    headDeviation: sampleDeviation(head),
    patchAverage,
    patchDeviation: sampleDeviation(patch),
    gain: gain(headAverage, patchAverage),
  };
}
