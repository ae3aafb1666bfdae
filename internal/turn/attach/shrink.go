package attach

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/draw"
)

// shrink returns a picture whose longest side is most pixels, by averaging, or nil if the context ends. The
// picture must be larger.
func shrink(ctx context.Context, src image.Image, most int) *image.NRGBA {
	from := src.Bounds()
	w, h := fit(from.Dx(), from.Dy(), most)
	small := image.NewNRGBA(image.Rect(0, 0, w, h))
	row := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	sums := make([][5]uint32, w) // red, green, blue, alpha and count
	for y := range h {
		if ctx.Err() != nil {
			return nil
		}
		clear(sums)
		for line := y * from.Dy() / h; line < (y+1)*from.Dy()/h; line++ {
			draw.Draw(row, row.Bounds(), src, image.Pt(from.Min.X, from.Min.Y+line), draw.Src)
			addRow(sums, row.Pix)
		}
		for x, sum := range sums {
			copy(small.Pix[small.PixOffset(x, y):], average(sum))
		}
	}
	return small
}

// fit is the size of a picture of the same shape whose longest side is most.
func fit(w, h, most int) (int, int) {
	if w >= h {
		return most, max(1, h*most/w)
	}
	return max(1, w*most/h), most
}

// addRow adds a row of source pixels to the sums of their columns.
func addRow(sums [][5]uint32, pix []byte) {
	w := len(pix) / 4
	for x := range sums {
		sum := &sums[x]
		for i := x * w / len(sums); i < (x+1)*w/len(sums); i++ {
			p := pix[4*i : 4*i+4]
			sum[0] += uint32(p[0])
			sum[1] += uint32(p[1])
			sum[2] += uint32(p[2])
			sum[3] += uint32(p[3])
			sum[4]++
		}
	}
}

// average is the mean color of a sum. The sums are alpha-premultiplied; the result is
// not.
func average(sum [5]uint32) []byte {
	if sum[3] == 0 {
		return []byte{0, 0, 0, 0}
	}
	plain := func(color uint32) byte { return byte(min(255, uint64(color)*255/uint64(sum[3]))) }
	return []byte{plain(sum[0]), plain(sum[1]), plain(sum[2]), byte(sum[3] / max(1, sum[4]))}
}

// withTurn copies the EXIF segment of the original into a scaled JPEG, since it has the
// orientation.
func withTurn(small, original []byte) []byte {
	about := exif(original)
	if about == nil {
		return small
	}
	const head = 2 // length of the start-of-image marker
	return bytes.Join([][]byte{small[:head], about, small[head:]}, nil)
}

// exif returns the EXIF segment of a JPEG, or nil.
func exif(data []byte) []byte {
	for at := 2; at+4 <= len(data) && data[at] == 0xff && data[at+1] != 0xda; {
		end := at + 2 + int(binary.BigEndian.Uint16(data[at+2:]))
		if end > len(data) || end < at+4 {
			return nil
		}
		if data[at+1] == 0xe1 && bytes.HasPrefix(data[at+4:end], []byte("Exif\x00\x00")) {
			return data[at:end]
		}
		at = end
	}
	return nil
}
